import type { Payment } from '../../load/payment.ts';
import { windowName } from '../../load/work.ts';
import type { Changes, Fold } from './fold.ts';

interface Session {
  readonly start: number;
  readonly last: number;
  readonly sum: number;
}

/** One open session per customer. Payments come in the order of their time, so the sessions stand in that of their ends. */
export class SessionFold implements Fold {
  readonly #gap: number;
  readonly #sessions = new Map<string, Session>();
  readonly #changed = new Set<string>();
  #results: string[] = [];

  constructor(gap: number) {
    this.#gap = gap;
  }

  add({ customer, amount, at }: Payment): void {
    const open = this.#sessions.get(customer);
    const goesOn = open !== undefined && at - open.last < this.#gap;
    if (open !== undefined && !goesOn) this.#end(customer, open);
    // To the end of the map: no session is over later.
    this.#sessions.delete(customer);
    this.#sessions.set(customer, {
      start: goesOn ? open.start : at,
      last: at,
      sum: goesOn ? open.sum + amount : amount,
    });
    this.#changed.add(customer);
  }

  take(watermark: number): Changes {
    const gone: string[] = [];
    for (const [customer, session] of this.#sessions) {
      if (session.last + this.#gap > watermark) break;
      this.#end(customer, session);
      this.#sessions.delete(customer);
      this.#changed.delete(customer);
      gone.push(customer);
    }
    const state: string[] = [];
    for (const customer of this.#changed) {
      state.push(customer, Object.values(this.#sessions.get(customer) ?? {}).join('|'));
    }
    this.#changed.clear();
    const results = this.#results;
    this.#results = [];
    return { state, gone, results };
  }

  #end(customer: string, { start, last, sum }: Session): void {
    this.#results.push(windowName(customer, start, last + this.#gap), String(sum));
  }
}

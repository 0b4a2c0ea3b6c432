import type { Payment } from '../../load/payment.ts';
import type { Changes, Fold } from './fold.ts';

/** One sum per customer. The results are the state. */
export class SumFold implements Fold {
  readonly #sums = new Map<string, number>();
  readonly #changed = new Set<string>();

  add({ customer, amount }: Payment): void {
    this.#sums.set(customer, (this.#sums.get(customer) ?? 0) + amount);
    this.#changed.add(customer);
  }

  take(): Changes {
    const state: string[] = [];
    for (const customer of this.#changed) state.push(customer, String(this.#sums.get(customer)));
    this.#changed.clear();
    return { state, gone: [], results: [] };
  }
}

import type { Payment } from '../../load/payment.ts';
import { windowName } from '../../load/work.ts';
import type { Changes, Fold } from './fold.ts';

interface OpenWindow {
  readonly start: number;
  readonly sums: Map<string, number>;
  readonly changed: Set<string>;
}

/** Sums per customer and window of equal length. State is by customer and start; a window that has passed is a result. */
export class WindowFold implements Fold {
  readonly #size: number;
  readonly #slide: number;
  readonly #windows = new Map<number, OpenWindow>();

  constructor(size: number, slide: number) {
    this.#size = size;
    this.#slide = slide;
  }

  add({ customer, amount, at }: Payment): void {
    for (let start = at - (at % this.#slide); start > at - this.#size; start -= this.#slide) {
      const { sums, changed } = this.#window(start);
      sums.set(customer, (sums.get(customer) ?? 0) + amount);
      changed.add(customer);
    }
  }

  take(watermark: number): Changes {
    const changes = { state: [] as string[], gone: [] as string[], results: [] as string[] };
    for (const { start, sums, changed } of this.#windows.values()) {
      const end = start + this.#size;
      if (end <= watermark) {
        this.#windows.delete(start);
        for (const [customer, sum] of sums) {
          changes.results.push(windowName(customer, start, end), String(sum));
          changes.gone.push(stateName(customer, start));
        }
      } else {
        for (const customer of changed) {
          changes.state.push(stateName(customer, start), String(sums.get(customer)));
        }
        changed.clear();
      }
    }
    return changes;
  }

  #window(start: number): OpenWindow {
    let window = this.#windows.get(start);
    if (window === undefined) {
      window = { start, sums: new Map(), changed: new Set() };
      this.#windows.set(start, window);
    }
    return window;
  }
}

function stateName(customer: string, start: number): string {
  return `${customer}|${start}`;
}

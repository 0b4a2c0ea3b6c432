import { type Delivery, nameOf } from './delivery.ts';
import type { Settler } from './settler.ts';

/**
 * The owner before may have been brought down by one of the entries it left. They run one by one, and a mark tells the next owner which
 * one it was.
 */
export class Suspects {
  readonly #settler: Pick<Settler, 'mark'>;
  #count = 0;
  #marking = false;

  constructor(settler: Pick<Settler, 'mark'>) {
    this.#settler = settler;
  }

  /** Those that have not been handled. */
  get count(): number {
    return this.#count;
  }

  /** A mark is being stored: nothing starts meanwhile. */
  get marking(): boolean {
    return this.#marking;
  }

  add(): void {
    this.#count++;
  }

  /** Its handler has ended, and the process lives. */
  cleared(delivery: Delivery): void {
    delivery.suspect = false;
    this.#count--;
  }

  /** Fulfilled when it is written down that this one starts, or never will be. */
  async mark(delivery: Delivery): Promise<void> {
    this.#marking = true;
    try {
      await this.#settler.mark(nameOf(delivery));
    } finally {
      this.#marking = false;
    }
  }
}

import type { PointOrder } from '../../faults/point-order.ts';
import type { Call } from './call.ts';

/** Counts calls until an order is due. A new order replaces the one before. */
export class Points {
  readonly #die: () => void;
  #order: PointOrder | undefined;
  #count = 0;

  /** @param die does not return */
  constructor(die: () => void) {
    this.#die = die;
  }

  take(order: PointOrder | undefined): void {
    this.#order = order;
    this.#count = 0;
  }

  sending({ name }: Call): void {
    const order = this.#order;
    if (order?.when !== 'before' || order.call !== name) return;
    if (++this.#count === order.nth) this.#die();
  }

  /** False for a reply that is to be lost. */
  answered({ name }: Call): boolean {
    const order = this.#order;
    if (order?.when !== 'after' || order.call !== name || ++this.#count !== order.nth) return true;
    this.#order = undefined;
    if (order.what === 'die') this.#die();
    return false;
  }
}

/** Place of an item in the order in which a chain without barriers would have made it. */
export type ItemOrder = readonly number[];

/**
 * Numbers what is emitted while an item is processed. An item emitted as the third of item `[4]` is `[4, 2]`, and what it
 * leads to later is `[4, 2, …]`; so comparing these like words gives the depth-first order of a chain, no matter at which
 * barriers the items had to wait.
 */
export class OrderCounter {
  #current: ItemOrder = [];
  #emitted = 0;

  /** The item whose processing begins. */
  enter(order: ItemOrder): void {
    this.#current = order;
    this.#emitted = 0;
  }

  /** The place of an item that is being emitted now. */
  next(): ItemOrder {
    return [...this.#current, this.#emitted++];
  }
}

export function compareOrder(a: ItemOrder, b: ItemOrder): number {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    const difference = (a[i] as number) - (b[i] as number);
    if (difference !== 0) return difference;
  }
  return a.length - b.length;
}

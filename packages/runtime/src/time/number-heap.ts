/** A binary min-heap of numbers. */
export class NumberHeap {
  #items: number[] = [];

  get size(): number {
    return this.#items.length;
  }

  first(): number | undefined {
    return this.#items[0];
  }

  add(value: number): void {
    const items = this.#items;
    let at = items.push(value) - 1;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      const above = items[parent] as number;
      if (above <= value) break;
      items[at] = above;
      at = parent;
    }
    items[at] = value;
  }

  /** Drops everything and takes `values` instead. */
  replace(values: Iterable<number>): void {
    // A sorted array is a heap.
    this.#items = [...values].sort((a, b) => a - b);
  }

  removeFirst(): void {
    const items = this.#items;
    const last = items.pop();
    if (last === undefined || items.length === 0) return;
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= items.length) break;
      if (child + 1 < items.length && (items[child + 1] as number) < (items[child] as number)) child++;
      const below = items[child] as number;
      if (below >= last) break;
      items[at] = below;
      at = child;
    }
    items[at] = last;
  }
}

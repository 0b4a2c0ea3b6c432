const SMALLEST = 4;

/** First in, first out: a ring that doubles when it is full. */
export class Fifo<T> {
  #items: (T | undefined)[] = new Array<T | undefined>(SMALLEST).fill(undefined);
  #head = 0;
  #size = 0;

  get size(): number {
    return this.#size;
  }

  first(): T | undefined {
    return this.#items[this.#head];
  }

  add(item: T): void {
    if (this.#size === this.#items.length) this.#grow();
    this.#items[(this.#head + this.#size) & (this.#items.length - 1)] = item;
    this.#size++;
  }

  take(): T | undefined {
    const first = this.#items[this.#head];
    if (this.#size === 0) return undefined;
    this.#items[this.#head] = undefined;
    this.#head = (this.#head + 1) & (this.#items.length - 1);
    this.#size--;
    return first;
  }

  #grow(): void {
    const { length } = this.#items;
    const items = new Array<T | undefined>(length * 2).fill(undefined);
    for (let at = 0; at < length; at++) items[at] = this.#items[(this.#head + at) & (length - 1)];
    this.#items = items;
    this.#head = 0;
  }
}

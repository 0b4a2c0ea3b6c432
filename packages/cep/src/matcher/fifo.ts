/** A list from whose front is taken, in constant time however long it is. */
export class Fifo<V> implements Iterable<V> {
  #items: (V | undefined)[] = [];
  #from = 0;

  get size(): number {
    return this.#items.length - this.#from;
  }

  first(): V | undefined {
    return this.#items[this.#from];
  }

  push(item: V): void {
    this.#items.push(item);
  }

  /** @param at counted from the front */
  insert(at: number, item: V): void {
    this.#items.splice(this.#from + at, 0, item);
  }

  at(index: number): V | undefined {
    return this.#items[this.#from + index];
  }

  shift(): V | undefined {
    if (this.size === 0) return undefined;
    const item = this.#items[this.#from];
    this.#items[this.#from++] = undefined; // Its place must not keep it alive.
    if (2 * this.#from >= this.#items.length) {
      this.#items = this.#items.slice(this.#from);
      this.#from = 0;
    }
    return item;
  }

  /** Leaves out all others. */
  keep(wanted: (item: V) => boolean): void {
    this.#items = [...this].filter(wanted);
    this.#from = 0;
  }

  *[Symbol.iterator](): Generator<V, void> {
    for (let i = this.#from; i < this.#items.length; i++) yield this.#items[i] as V;
  }
}

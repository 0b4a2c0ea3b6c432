/** Keeps account of what arrives: every order exactly once, and those of one partition in the order of sending. */
export class Tally {
  readonly #ordered: boolean;
  readonly #last = new Map<number, number>();
  #seen = new Uint8Array(1 << 16);
  #count = 0;

  /** @param ordered whether order within a partition is part of the promise */
  constructor(ordered: boolean) {
    this.#ordered = ordered;
  }

  /** Orders so far. */
  get count(): number {
    return this.#count;
  }

  /** @throws Error when it came before, or after a later one of its partition */
  add(index: number, partition: number): void {
    if (index >= this.#seen.length) this.#grow(index);
    if (this.#seen[index] === 1) throw new Error(`order ${index} came twice`);
    this.#seen[index] = 1;
    this.#count++;
    if (!this.#ordered) return;
    const last = this.#last.get(partition) ?? -1;
    if (index < last) throw new Error(`order ${index} came after order ${last} of partition ${partition}`);
    this.#last.set(partition, index);
  }

  /** @throws Error unless the orders are exactly those from 0 to `sent` − 1 */
  check(sent: number): void {
    const missing = this.#seen.subarray(0, sent).indexOf(0);
    if (this.#count === sent && missing < 0) return;
    throw new Error(
      `${sent} orders were sent and ${this.#count} came${missing < 0 ? '' : `; order ${missing} did not`}`,
    );
  }

  #grow(index: number): void {
    const seen = new Uint8Array(2 ** Math.ceil(Math.log2(index + 1)));
    seen.set(this.#seen);
    this.#seen = seen;
  }
}

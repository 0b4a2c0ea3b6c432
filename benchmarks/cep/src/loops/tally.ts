import type { Signal } from './input.ts';

/** What is kept of the loops that were found: enough to tell one that is missing, wrong, or in another order. */
export class Tally {
  found = 0;
  #checksum = 0;

  /** An a, its loop, and the c that ended it. The loop is told by its length and its last event: relaxed loops leave none out. */
  add(a: Signal | undefined, length: number, last: Signal | undefined, c: Signal | undefined): void {
    this.found += 1;
    this.#checksum = mix(mix(mix(mix(this.#checksum, a?.id), length), last?.id), c?.id);
  }

  toString(): string {
    return `${this.found} loops, checksum ${this.#checksum}`;
  }
}

function mix(checksum: number, value = -1): number {
  return (Math.imul(checksum, 31) + value) | 0;
}

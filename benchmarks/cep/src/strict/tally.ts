import type { Step } from './input.ts';

/** What is kept of the sequences that were found: enough to tell one that is missing, wrong, or in another order. */
export class Tally {
  found = 0;
  #checksum = 0;

  add(a: Step | undefined, b: Step | undefined, c: Step | undefined): void {
    this.found += 1;
    this.#checksum = mix(mix(mix(this.#checksum, a), b), c);
  }

  toString(): string {
    return `${this.found} sequences, checksum ${this.#checksum}`;
  }
}

function mix(checksum: number, step: Step | undefined): number {
  return (Math.imul(checksum, 31) + (step === undefined ? -1 : step.id)) | 0;
}

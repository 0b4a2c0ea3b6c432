/** Chance that is the same for the same seed. */
export class Dice {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** From 0 up to 1 (mulberry32). */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  }

  /** An integer, both ends included. */
  integer(from: number, to: number): number {
    return from + Math.floor(this.next() * (to - from + 1));
  }

  pick<T>(from: readonly [T, ...T[]]): T {
    return from[this.integer(0, from.length - 1)] ?? from[0];
  }

  chance(of: number): boolean {
    return this.next() < of;
  }

  shuffled<T>(items: readonly T[]): T[] {
    const rest = [...items];
    const shuffled: T[] = [];
    while (rest.length > 0) shuffled.push(...rest.splice(this.integer(0, rest.length - 1), 1));
    return shuffled;
  }
}

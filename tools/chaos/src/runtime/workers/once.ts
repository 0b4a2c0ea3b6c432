import { type Place, throwsOnce } from '../load/fates.ts';

/** Throws where it is planned, once in a process. */
export class Once {
  readonly #seed: number;
  readonly #thrown = new Set<string>();
  readonly #tell: (place: Place) => void;

  constructor(seed: number, tell: (place: Place) => void) {
    this.#seed = seed;
    this.#tell = tell;
  }

  pass(place: Place, what: string | number): void {
    if (!throwsOnce(this.#seed, place, what)) return;
    const name = `${place} ${what}`;
    if (this.#thrown.has(name)) return;
    this.#thrown.add(name);
    this.#tell(place);
    throw new Error(`planned failure: ${name}`);
  }
}

import { closeSync, openSync, writeSync } from 'node:fs';
import { now } from '../time/now.ts';

/** Something that happened, at a time of the monotonic clock. */
export interface Stamped {
  readonly at: number;
}

type Unstamped<E> = E extends unknown ? Omit<E, 'at'> : never;

/**
 * What a process writes down about itself. Each line is with the kernel before the call returns: a process that is killed
 * loses nothing of it, and only a machine that falls would.
 */
export class Journal<E extends Stamped> {
  readonly #file: number;

  constructor(path: string) {
    this.#file = openSync(path, 'a');
  }

  write(entry: Unstamped<E>): void {
    writeSync(this.#file, `${JSON.stringify({ ...entry, at: now() })}\n`);
  }

  close(): void {
    closeSync(this.#file);
  }
}

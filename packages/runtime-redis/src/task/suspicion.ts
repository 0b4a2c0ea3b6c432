import type { TaskLease } from '../store/task-lease.ts';

/** Crashes in a row at one position from which the records there are suspected. The first may have any cause. */
const SUSPICIOUS = 2;

/**
 * Keeps a record that kills its process from doing so for ever. After the second crash in a row at one position, what may
 * have been under way is processed one by one, and what is about to start is written down before: so the record that is marked after a
 * further crash is the one, and each crash is a delivery of it.
 */
export class Suspicion {
  readonly #started: string;
  readonly #crashes: number;
  #left: number;

  /** @param records how many may have been under way */
  constructor({ crashes, started }: Pick<TaskLease, 'crashes' | 'started'>, records: number) {
    this.#started = started;
    this.#crashes = crashes;
    this.#left = crashes >= SUSPICIOUS || started !== '' ? records : 0;
  }

  /** True while records are to be processed one by one, each marked before. */
  get active(): boolean {
    return this.#left > 0;
  }

  /** How often a record has killed its process, as far as that is known. */
  crashesOf(id: string): number {
    return id === this.#started ? this.#crashes : 0;
  }

  /** A record was settled. Returns true for the last one that was under suspicion. */
  settled(): boolean {
    if (this.#left === 0) return false;
    this.#left--;
    return this.#left === 0;
  }

  /** There is nothing more to suspect: all that could have been under way was. */
  end(): boolean {
    const active = this.active;
    this.#left = 0;
    return active;
  }
}

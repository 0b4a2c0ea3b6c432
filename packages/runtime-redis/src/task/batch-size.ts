import type { CommitLimits } from '../store/commit-limits.ts';

/** Part of the limit that a batch is cut for: what is expected is not what comes. */
const SHARE = 0.8;
/** How much the newest commit counts. */
const WEIGHT = 0.3;

/**
 * How many records to process together: as many as allowed, and so few that their commit is likely to keep within its limits. One that
 * does not is processed again in halves, so this is about speed alone.
 */
export class BatchSize {
  readonly #most: number;
  readonly #limits: CommitLimits;
  #operations = 0;
  #bytes = 0;

  constructor(most: number, limits: CommitLimits) {
    this.#most = most;
    this.#limits = limits;
  }

  get records(): number {
    const { operations, bytes } = this.#limits;
    const fit = Math.min((operations * SHARE) / this.#operations, (bytes * SHARE) / this.#bytes);
    return Math.max(1, Math.floor(Math.min(this.#most, fit)));
  }

  /** What the commit of some records came to. */
  note(records: number, { operations, bytes }: CommitLimits): void {
    if (records === 0) return;
    this.#operations += (operations / records - this.#operations) * WEIGHT;
    this.#bytes += (bytes / records - this.#bytes) * WEIGHT;
  }
}

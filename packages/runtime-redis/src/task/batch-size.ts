import type { CommitLimits } from '../store/commit-limits.ts';

/** Part of the limit that a batch is cut for: what is expected is not what comes. */
const SHARE = 0.8;
/** How much the newest batch counts. */
const WEIGHT = 0.3;
/** Records of the first batch, of which nothing is known. The next ones may each be twice as large. */
const FIRST = 32;

/** How long a batch may keep the process busy, in milliseconds. */
export interface BusyLimit {
  readonly busy: number;
}

/**
 * How many records to process together: as many as allowed, and so few that their commit is likely to keep within its limits, and that the
 * process has time for its leases in between. A commit that is too large is made again in halves, so that is about speed alone; but a batch
 * that is busy for longer than its lease is processed in vain, by one owner after the other.
 */
export class BatchSize {
  readonly #most: number;
  readonly #limits: CommitLimits & BusyLimit;
  #operations = 0;
  #bytes = 0;
  /** As many as the process has time for. */
  #timely = FIRST;

  constructor(most: number, limits: CommitLimits & BusyLimit) {
    this.#most = most;
    this.#limits = limits;
  }

  get records(): number {
    const { operations, bytes } = this.#limits;
    const fit = Math.min((operations * SHARE) / this.#operations, (bytes * SHARE) / this.#bytes);
    return Math.max(1, Math.floor(Math.min(this.#most, this.#timely, fit)));
  }

  /** What the commit of some records came to. */
  committed(records: number, { operations, bytes }: CommitLimits): void {
    if (records === 0) return;
    this.#operations += (operations / records - this.#operations) * WEIGHT;
    this.#bytes += (bytes / records - this.#bytes) * WEIGHT;
  }

  /**
   * A batch is through; for so many milliseconds the process was busy meanwhile, also with other tasks: so how long one record takes
   * cannot be told from it, but that a batch was too large can.
   */
  processed(records: number, busy: number): void {
    if (records === 0) return;
    const { busy: limit } = this.#limits;
    if (busy > limit)
      this.#timely = Math.max(1, Math.floor((Math.min(records, this.#timely) * limit) / busy));
    else if (records >= this.#timely) this.#timely = Math.min(this.#most, this.#timely * 2);
  }
}

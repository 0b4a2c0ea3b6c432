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
  #busy = 0;
  #grown = FIRST;

  constructor(most: number, limits: CommitLimits & BusyLimit) {
    this.#most = most;
    this.#limits = limits;
  }

  get records(): number {
    const { operations, bytes, busy } = this.#limits;
    const fit = Math.min(
      (operations * SHARE) / this.#operations,
      (bytes * SHARE) / this.#bytes,
      busy / this.#busy,
    );
    return Math.max(1, Math.floor(Math.min(this.#most, this.#grown, fit)));
  }

  /** What the commit of some records came to. */
  committed(records: number, { operations, bytes }: CommitLimits): void {
    if (records === 0) return;
    this.#operations += (operations / records - this.#operations) * WEIGHT;
    this.#bytes += (bytes / records - this.#bytes) * WEIGHT;
  }

  /** For how many milliseconds some records have kept the process busy. */
  processed(records: number, busy: number): void {
    if (records === 0) return;
    const each = busy / records;
    // What takes long is believed at once, what does not only in time.
    this.#busy = each > this.#busy ? each : this.#busy + (each - this.#busy) * WEIGHT;
    if (records >= this.#grown) this.#grown = Math.min(this.#most, this.#grown * 2);
  }
}

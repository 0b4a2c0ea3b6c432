import type { DeadReason } from '../consumer/lane/settle-batch.ts';
import { errorOf } from './error-of.ts';
import type { StoredDeadLetter } from './stored-dead-letter.ts';

/** Dead letters of one group that died of the same, as far as texts tell. */
export interface DeadLetterCause {
  readonly group: string;
  readonly reason: DeadReason;
  readonly signature: string;
  readonly count: number;
  /** When the first and the last of them were given up, in epoch milliseconds. */
  readonly oldest: number;
  readonly newest: number;
}

export interface DeadLetterSummary {
  /** The most frequent first. */
  readonly causes: readonly DeadLetterCause[];
  /** Dead letters that were looked at. */
  readonly scanned: number;
  /** False when `limit` was reached: there may be more. */
  readonly complete: boolean;
}

/** Counts dead letters by cause. It keeps one small object per cause, whatever the dead letters hold. */
export class CauseCounter {
  readonly #causes = new Map<
    string,
    { -readonly [Field in keyof DeadLetterCause]: DeadLetterCause[Field] }
  >();

  add({ group, reason, error, failedAt }: StoredDeadLetter): void {
    const { signature } = errorOf(error);
    const name = JSON.stringify([group, reason, signature]);
    const cause = this.#causes.get(name);
    if (cause === undefined) {
      const known = reason as DeadReason;
      this.#causes.set(name, {
        group,
        reason: known,
        signature,
        count: 1,
        oldest: failedAt,
        newest: failedAt,
      });
      return;
    }
    cause.count++;
    cause.oldest = Math.min(cause.oldest, failedAt);
    cause.newest = Math.max(cause.newest, failedAt);
  }

  /** The most frequent first; of two that are as frequent, the one that happened last. */
  causes(): readonly DeadLetterCause[] {
    return [...this.#causes.values()].sort((a, b) => b.count - a.count || b.newest - a.newest);
  }
}

import type { OutputRecord } from '@rs/runtime';
import type { CommitOp } from '../store/commit-op.ts';

/**
 * How the results for one sink of a task become part of a commit.
 *
 * @throws RsError `RS_INVALID_VALUE` and the like for what cannot be written; it fails the record that the result came of
 */
export interface TaskSink {
  /** Checks and encodes a value when it is emitted; what comes of it is the `value` of the {@link OutputRecord}. */
  transfer(value: unknown): unknown;
  /** The writes for the outputs of one commit, in their order. */
  ops(outputs: readonly OutputRecord[], seq: number): readonly CommitOp[];
}

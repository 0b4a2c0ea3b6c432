import type { MaybePromise } from '../maybe-promise.ts';

/** What a sink says of itself. A declaration; engines print it, nothing enforces it. */
export type DeliveryGuarantee = 'AT_MOST_ONCE' | 'AT_LEAST_ONCE' | 'EFFECTIVELY_ONCE';

/** Takes a stream's results: `open` once before the first record, `invoke` for each, `close` once at the end. */
export interface StreamSink<T> {
  open?(): MaybePromise<void>;
  invoke(value: T): MaybePromise<void>;
  /** Called once, also after a failure; an error thrown here is logged, not thrown on. */
  close?(): MaybePromise<void>;
  deliveryGuarantee?(): DeliveryGuarantee;
}

/** A sink that takes part in checkpoints. All hooks are optional. */
export interface CheckpointAwareSink<T> extends StreamSink<T> {
  onCheckpointStart?(checkpointId: number): MaybePromise<void>;
  /** The checkpoint is stored durably. */
  onCheckpointComplete?(checkpointId: number): MaybePromise<void>;
  /** Must not throw. */
  onCheckpointAbort?(checkpointId: number, cause?: unknown): MaybePromise<void>;
  /** State was restored; consumption has not begun. */
  onCheckpointRestore?(checkpointId: number): MaybePromise<void>;
}

/** A sink whose results become visible per transaction, so that a crash neither loses nor doubles them. */
export interface TwoPhaseCommitSink<T, Txn> extends Omit<CheckpointAwareSink<T>, 'invoke'> {
  beginTxn(): MaybePromise<Txn>;
  invoke(value: T, txn: Txn): MaybePromise<void>;
  /** Makes the data recoverable but invisible; an error aborts the checkpoint. */
  preCommit(txn: Txn): MaybePromise<void>;
  /** Makes the data visible. Called only once the handle is stored; may be called again. */
  commit(txn: Txn): MaybePromise<void>;
  /** Default: `recoverAndAbort`. */
  abort?(txn: Txn): MaybePromise<void>;
  recoverAndCommit(txn: Txn): MaybePromise<void>;
  recoverAndAbort(txn: Txn): MaybePromise<void>;
}

/** A value with the id under which a target may recognise it as already seen. */
export interface IdempotentRecord<T> {
  readonly id: string;
  readonly value: T;
}

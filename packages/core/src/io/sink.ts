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

/**
 * A sink that is told of checkpoints. All hooks are optional; none is called while `invoke` or another hook of the sink is
 * under way. They are called only where checkpoints are taken: what a sink keeps back for them would stay there otherwise.
 *
 * What a sink keeps in memory is not part of a checkpoint. A sink whose results must come exactly once is a
 * {@link TwoPhaseCommitSink}.
 */
export interface CheckpointAwareSink<T> extends StreamSink<T> {
  /** No record is under way, and none comes until the state is copied. An error aborts the checkpoint. */
  onCheckpointStart?(checkpointId: number): MaybePromise<void>;
  /** The checkpoint is stored durably. An error is logged: the checkpoint stays. */
  onCheckpointComplete?(checkpointId: number): MaybePromise<void>;
  /** The checkpoint will not be completed; the run goes on, unless it is what has ended. An error is logged. */
  onCheckpointAbort?(checkpointId: number, cause?: unknown): MaybePromise<void>;
  /**
   * The run begins from this checkpoint. Called after `open` (and after `recoverAndCommit` of a transactional sink), before
   * the first record. An error fails the run.
   */
  onCheckpointRestore?(checkpointId: number): MaybePromise<void>;
}

/**
 * A sink whose results become visible per transaction, so that a crash neither loses nor doubles them.
 *
 * A transaction is begun before the first record after a checkpoint, and prepared when the next one is taken; its handle is
 * stored with the checkpoint, and then it is committed. A run that begins from a checkpoint first commits what is in it. Where
 * no checkpoints are taken, one transaction holds the whole run and is committed at its end. When a run fails or is
 * cancelled, the transaction that is open is aborted.
 *
 * A transaction that is open when the process dies is in no checkpoint, so nobody can abort it: let it time out, or remove
 * what it left in `onCheckpointRestore`, when everything that is to stay has been committed. The methods of one sink are
 * called one after the other.
 */
export interface TwoPhaseCommitSink<T, Txn> extends Omit<CheckpointAwareSink<T>, 'invoke'> {
  /** Returns the handle: plain data, which `jsonCodec` can write, from which another process finds the transaction. */
  beginTxn(): MaybePromise<Txn>;
  /** Adds a record. An error fails the run. */
  invoke(value: T, txn: Txn): MaybePromise<void>;
  /**
   * Makes the data recoverable but invisible. An error aborts the checkpoint; the transaction stays open, takes the records
   * that come, and is prepared again for the next one.
   */
  preCommit(txn: Txn): MaybePromise<void>;
  /**
   * Makes the data visible. Called only once the handle is stored. After an error it is called again when the next checkpoint
   * is complete, and the run that follows a crash calls `recoverAndCommit`.
   */
  commit(txn: Txn): MaybePromise<void>;
  /** Drops the data of a transaction that will not be committed, prepared or not. Default: `recoverAndAbort`. */
  abort?(txn: Txn): MaybePromise<void>;
  /** As `commit`, for a transaction of an earlier run, which may be committed already. An error fails the run. */
  recoverAndCommit(txn: Txn): MaybePromise<void>;
  /** As `abort`, for a transaction of an earlier run, which may be gone already. */
  recoverAndAbort(txn: Txn): MaybePromise<void>;
}

/** A value with the id under which a target may recognise it as already seen. */
export interface IdempotentRecord<T> {
  readonly id: string;
  readonly value: T;
}

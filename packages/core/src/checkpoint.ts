import type { MaybePromise } from './maybe-promise.ts';

/**
 * A consistent picture of a job, taken between two records: state, timers, watermarks, source positions, and the
 * transactions of sinks that were prepared and not committed.
 */
export interface Checkpoint {
  /** Counts from 1; a later checkpoint has a higher one. */
  readonly checkpointId: number;
  /** Epoch milliseconds at which it was taken; at which it was asked for, as long as it is not completed. */
  readonly timestamp: number;
  /** False until it is stored. Nothing can be restored from it before, and it has no parts. */
  readonly completed: boolean;
  /** A named part of the snapshot: plain data, which `jsonCodec` can write. `undefined` when there is none of that name. */
  getState<T>(name: string): T | undefined;
  /** The names of the parts. What they hold is the engine's matter. */
  getKeys(): string[];
}

/** Takes checkpoints of an engine's jobs, and goes back to them. */
export interface CheckpointCoordinator {
  /**
   * Asks for a checkpoint and returns its id. It is taken between two records, so a function that is processing one must
   * not wait for it.
   */
  triggerCheckpoint(): MaybePromise<number>;
  /**
   * Goes back to a checkpoint.
   *
   * @throws RsError `RS_UNKNOWN_CHECKPOINT` when there is no completed checkpoint with this id, `RS_CHECKPOINT_MISMATCH`
   *   when the job cannot take what is in it
   */
  restoreFromCheckpoint(checkpointId: number): MaybePromise<void>;
  /** The newest completed checkpoint. */
  getLatestCheckpoint(): MaybePromise<Checkpoint | undefined>;
  /** Also one that is not completed yet. `undefined` for one that was aborted or removed. */
  getCheckpoint(checkpointId: number): MaybePromise<Checkpoint | undefined>;
}

/**
 * Keeps the checkpoints of one job. Engines store only completed ones, one at a time, and write their parts as
 * `getKeys` and `getState` give them; what is loaded must have the same parts.
 */
export interface CheckpointStorage {
  /**
   * Called before each run that uses the storage. Takes what must be its own, so that two processes cannot mix up their
   * checkpoints; does nothing when it has that.
   *
   * @throws RsError `RS_CHECKPOINT_LOCKED` while another one has it
   */
  open?(): Promise<void>;
  /**
   * Resolves once the checkpoint would survive a crash. A crash in the middle must not leave half of one behind. When it throws,
   * the engine deletes the checkpoint, and looks whether it is gone: until then it counts as one that may be there.
   */
  storeCheckpoint(checkpoint: Checkpoint): Promise<void>;
  loadCheckpoint(checkpointId: number): Promise<Checkpoint | undefined>;
  /** The completed checkpoint with the highest id. */
  getLatestCheckpoint(): Promise<Checkpoint | undefined>;
  /** Newest first, at most `limit`. */
  listCheckpoints(limit: number): Promise<Checkpoint[]>;
  /** Resolves once the checkpoint would not come back after a crash; returns whether there was one. */
  deleteCheckpoint(checkpointId: number): Promise<boolean>;
  /** Removes all but the newest `keep`, incomplete ones first. Returns how many were removed. */
  cleanupOldCheckpoints(keep: number): Promise<number>;
  /** Gives up what is held, such as a lock. The owner of the storage calls it, engines do not. */
  close(): Promise<void>;
}

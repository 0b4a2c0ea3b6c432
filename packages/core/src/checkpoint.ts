import type { MaybePromise } from './maybe-promise.ts';

/** A consistent picture of a job: state, timers, watermarks and source positions. */
export interface Checkpoint {
  readonly checkpointId: number;
  /** Epoch milliseconds at which it was taken. */
  readonly timestamp: number;
  readonly completed: boolean;
  /** Named parts of the snapshot. */
  getState<T>(name: string): T | undefined;
  getKeys(): string[];
}

export interface CheckpointCoordinator {
  triggerCheckpoint(): MaybePromise<number>;
  /** @throws RsError when the id is not known */
  restoreFromCheckpoint(checkpointId: number): MaybePromise<void>;
  getLatestCheckpoint(): MaybePromise<Checkpoint | undefined>;
  getCheckpoint(checkpointId: number): MaybePromise<Checkpoint | undefined>;
}

export interface CheckpointStorage {
  storeCheckpoint(checkpoint: Checkpoint): Promise<void>;
  loadCheckpoint(checkpointId: number): Promise<Checkpoint | undefined>;
  getLatestCheckpoint(): Promise<Checkpoint | undefined>;
  /** Newest first. */
  listCheckpoints(limit: number): Promise<Checkpoint[]>;
  deleteCheckpoint(checkpointId: number): Promise<boolean>;
  /** Returns how many were deleted; incomplete ones go first. */
  cleanupOldCheckpoints(keep: number): Promise<number>;
  close(): Promise<void>;
}

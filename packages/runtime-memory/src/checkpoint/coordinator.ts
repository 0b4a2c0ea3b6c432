import type { Checkpoint, CheckpointCoordinator, MaybePromise } from '@rs/core';
import type { CheckpointKeeper } from './keeper.ts';

/** Takes checkpoints of the runs of one environment. */
export class MemoryCheckpointCoordinator implements CheckpointCoordinator {
  readonly #keeper: CheckpointKeeper;

  constructor(keeper: CheckpointKeeper) {
    this.#keeper = keeper;
  }

  /**
   * Asks for a checkpoint of the run that is going on (of the one that was begun last, where there are several), also from
   * within its functions, and returns the id at once. It is taken when the record that is being processed is done and
   * nothing is pending; a function must not wait for it. `getCheckpoint` tells whether it is completed.
   *
   * After a run has finished it is one of its final state, and where no job has run yet one of nothing. With a storage the
   * final state has been stored, and its id is returned.
   *
   * @throws RsError `RS_UNSUPPORTED` when there is no consistent state to be taken: the last run has failed or was cancelled,
   *   or nothing has run where checkpoints are stored
   */
  triggerCheckpoint(): number {
    return this.#keeper.trigger();
  }

  /**
   * Outside of a run: runs that start later begin from the checkpoint, with its state, its time, and sources behind the records
   * that were processed. Where runs begin from the newest checkpoint in a storage, that holds until a new one is stored.
   *
   * During a run, also from within its functions: its keyed state and timers are those of the checkpoint from now on, and
   * nothing else changes, since time does not go back and records are not read again. What an operator was doing with the
   * state that is replaced has no effect. With a storage the state is replaced once the checkpoint was read.
   *
   * @throws RsError `RS_UNKNOWN_CHECKPOINT` when there is none with this id, or it is not completed; during a run
   *   `RS_CHECKPOINT_MISMATCH` when it is of another job, and `RS_CLOSED` when the run ends before it was read
   */
  restoreFromCheckpoint(checkpointId: number): MaybePromise<void> {
    return this.#keeper.restore(checkpointId);
  }

  getLatestCheckpoint(): MaybePromise<Checkpoint | undefined> {
    return this.#keeper.latest();
  }

  /** Not completed while it is being taken or stored; `undefined` when it was aborted or removed. */
  getCheckpoint(checkpointId: number): MaybePromise<Checkpoint | undefined> {
    return this.#keeper.get(checkpointId);
  }
}

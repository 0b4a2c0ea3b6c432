import {
  type Checkpoint,
  type CheckpointStorage,
  type Clock,
  type Logger,
  type MaybePromise,
  RsError,
} from '@rs/core';
import { checkpointOf, emptySnapshot, failureOf, newCheckpoint } from '@rs/runtime';
import type { CheckpointingSettings } from './options.ts';

/** What checkpoints are taken of. */
export interface CheckpointedRun {
  /** True once it has run to its end. */
  readonly ranToEnd: boolean;
  /** Asks the run for a checkpoint with this id. */
  request(checkpointId: number): void;
  /** Goes back to a checkpoint in the middle of the run. */
  restore(checkpoint: Checkpoint): void;
  /** Takes a checkpoint of a finished run, or returns the id of the one that was stored at its end. */
  final(newId: () => number): Checkpoint | number;
}

export interface KeeperOptions {
  readonly settings: CheckpointingSettings;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** The checkpoints of an environment, and the runs that they are of. */
export class CheckpointKeeper {
  readonly settings: CheckpointingSettings;
  readonly #clock: Clock;
  readonly #logger: Logger;
  /** Asked for, and not completed. */
  readonly #pending = new Map<number, Checkpoint>();
  /** Completed ones, oldest first, where there is no storage. */
  readonly #completed = new Map<number, Checkpoint>();
  /** Runs that are going on, the one that was begun last at the end. */
  #runs: CheckpointedRun[] = [];
  /** The run that ended last. */
  #last: CheckpointedRun | undefined;
  /** What runs begin from because somebody said so. */
  #restored: Checkpoint | undefined;
  /** The run that uses the storage. */
  #user: CheckpointedRun | undefined;
  /** Could not be stored, but may be there all the same. */
  readonly #doubtful = new Set<number>();
  #lastId = 0;

  constructor({ settings, clock, logger }: KeeperOptions) {
    this.settings = settings;
    this.#clock = clock;
    this.#logger = logger;
  }

  newId(): number {
    const checkpointId = ++this.#lastId;
    const timestamp = this.#clock.now();
    this.#pending.set(checkpointId, newCheckpoint({ checkpointId, timestamp, parts: undefined }));
    return checkpointId;
  }

  /** The checkpoint will not be completed. */
  drop(checkpointId: number): void {
    this.#pending.delete(checkpointId);
  }

  /** Whether a later run may find a checkpoint that could not be stored. */
  mayBeStored(checkpointId: number): boolean {
    return this.#doubtful.has(checkpointId);
  }

  /** Completes a checkpoint; with a storage that takes a while. */
  keep(checkpoint: Checkpoint): MaybePromise<void> {
    return this.settings.storage === undefined ? this.#keepHere(checkpoint) : this.#store(checkpoint);
  }

  // Runs.

  /** What an eager run begins from. @throws RsError `RS_UNSUPPORTED` when checkpoints are stored */
  beginNow(run: CheckpointedRun): Checkpoint | undefined {
    if (this.settings.storage !== undefined) {
      throw new RsError(
        'RS_UNSUPPORTED',
        'the checkpoints of this environment are stored, for which a run must be able to wait; make it with { eager: false } ' +
          'and call executeAsync, or enable checkpointing without a storage',
      );
    }
    this.#runs.push(run);
    return this.#restored;
  }

  /**
   * What a run begins from.
   *
   * @throws RsError `RS_UNSUPPORTED` while another run uses the storage, and what the storage throws
   */
  async begin(run: CheckpointedRun): Promise<Checkpoint | undefined> {
    if (this.settings.storage !== undefined) {
      if (this.#user !== undefined) {
        throw new RsError(
          'RS_UNSUPPORTED',
          'another run of this environment uses the checkpoint storage, or was cancelled and still stores or commits; run one ' +
            'after the other, or use an environment and a storage for each job',
        );
      }
      this.#user = run;
    }
    try {
      const checkpoint = await this.#beginning();
      this.#runs.push(run);
      return checkpoint;
    } catch (error) {
      this.#user = undefined;
      throw error;
    }
  }

  /** The run is over, and takes no more checkpoints; what it has begun may still go on. */
  ending(run: CheckpointedRun): void {
    if (!this.#runs.includes(run)) return;
    this.#runs = this.#runs.filter((other) => other !== run);
    this.#last = run;
  }

  /**
   * Nothing of the run goes on any more. Invariant: no run begins from the storage before that, since what the one before it
   * still stores and commits would come twice.
   */
  ended(run: CheckpointedRun): void {
    this.ending(run); // It may have been cancelled before it had begun.
    if (this.#user === run) this.#user = undefined;
  }

  // What users ask for.

  trigger(): number {
    const run = this.#runs.at(-1);
    if (run !== undefined) {
      const checkpointId = this.newId();
      run.request(checkpointId);
      return checkpointId;
    }
    const final = this.#final();
    if (typeof final === 'number') return final;
    this.#keepHere(final);
    return final.checkpointId;
  }

  get(checkpointId: number): MaybePromise<Checkpoint | undefined> {
    const here = this.#pending.get(checkpointId) ?? this.#completed.get(checkpointId);
    return here ?? this.settings.storage?.loadCheckpoint(checkpointId);
  }

  latest(): MaybePromise<Checkpoint | undefined> {
    const { storage } = this.settings;
    return storage === undefined ? [...this.#completed.values()].at(-1) : storage.getLatestCheckpoint();
  }

  /** @throws RsError `RS_UNKNOWN_CHECKPOINT`, and in the middle of a run `RS_CHECKPOINT_MISMATCH` */
  restore(checkpointId: number): MaybePromise<void> {
    if (this.#pending.has(checkpointId))
      throw unknown(checkpointId, 'it is not completed yet: it is taken between two records');
    const run = this.#runs.at(-1);
    const { storage } = this.settings;
    if (storage !== undefined) return this.#restoreStored(checkpointId, run);
    this.#restore(checkpointId, this.#completed.get(checkpointId), run);
  }

  async #restoreStored(checkpointId: number, run: CheckpointedRun | undefined): Promise<void> {
    const checkpoint = await this.settings.storage?.loadCheckpoint(checkpointId);
    if (run === undefined || this.#runs.includes(run)) return this.#restore(checkpointId, checkpoint, run);
    throw new RsError('RS_CLOSED', `the run has ended before checkpoint ${checkpointId} was read`);
  }

  #restore(checkpointId: number, checkpoint: Checkpoint | undefined, run: CheckpointedRun | undefined): void {
    if (checkpoint === undefined) {
      const known = [...this.#completed.keys()].join(', ');
      throw unknown(checkpointId, known === '' ? 'there is none' : `those that are kept are ${known}`);
    }
    if (run === undefined) this.#restored = checkpoint;
    else run.restore(checkpoint);
  }

  async #beginning(): Promise<Checkpoint | undefined> {
    const { storage, restoreFromLatest } = this.settings;
    if (storage === undefined) return this.#restored;
    try {
      await storage.open?.();
      const [newest] = await storage.listCheckpoints(1);
      this.#lastId = Math.max(this.#lastId, newest?.checkpointId ?? 0);
      const latest = restoreFromLatest ? await storage.getLatestCheckpoint() : undefined;
      return this.#restored ?? latest;
    } catch (error) {
      throw failureOf('RS_CHECKPOINT_FAILED', 'the checkpoint storage', error);
    }
  }

  #keepHere(checkpoint: Checkpoint): void {
    this.#pending.delete(checkpoint.checkpointId);
    this.#completed.set(checkpoint.checkpointId, checkpoint);
    for (const oldest of this.#completed.keys()) {
      if (this.#completed.size <= this.settings.keep) return;
      this.#completed.delete(oldest);
    }
  }

  async #store(checkpoint: Checkpoint): Promise<void> {
    const { storage, keep, restoreFromLatest } = this.settings;
    if (storage === undefined) return;
    const { checkpointId } = checkpoint;
    const begunFrom = this.#restored;
    try {
      await storage.storeCheckpoint(checkpoint);
    } catch (error) {
      if (!(await this.#removed(checkpointId, storage))) this.#doubtful.add(checkpointId);
      throw error;
    }
    this.#pending.delete(checkpointId);
    // It goes on from what a run was told to begin from, unless something else was said meanwhile.
    if (restoreFromLatest && this.#restored === begunFrom) this.#restored = undefined;
    try {
      await storage.cleanupOldCheckpoints(keep);
    } catch (error) {
      this.#logger.warn({ component: 'checkpoint', error }, 'old checkpoints could not be removed');
    }
  }

  /** Whether nobody will find a checkpoint that could not be stored: the storage may have failed when it was there already. */
  async #removed(checkpointId: number, storage: CheckpointStorage): Promise<boolean> {
    let cause: unknown;
    try {
      await storage.deleteCheckpoint(checkpointId);
      if ((await storage.loadCheckpoint(checkpointId)) === undefined) return true;
    } catch (error) {
      cause = error;
    }
    this.#logger.warn(
      { component: 'checkpoint', checkpointId, error: cause },
      `checkpoint ${checkpointId} could not be stored, and may be there all the same, since it could not be removed; ` +
        'its transactions are not aborted',
    );
    return false;
  }

  /** A checkpoint of the state that the last run has left. */
  #final(): Checkpoint | number {
    const stored = this.settings.storage !== undefined;
    if (this.#last === undefined && !stored)
      return checkpointOf(this.newId(), this.#clock.now(), emptySnapshot());
    if (this.#last?.ranToEnd === true) return this.#last.final(() => this.newId());
    throw new RsError(
      'RS_UNSUPPORTED',
      this.#last === undefined
        ? 'no job has run in this environment, and a checkpoint of nothing would hide those that are stored; trigger one in a run'
        : 'the last run failed or was cancelled, maybe in the middle of a record, so there is no consistent state to be taken; ' +
            'use the latest checkpoint',
    );
  }
}

function unknown(checkpointId: number, reason: string): RsError {
  return new RsError(
    'RS_UNKNOWN_CHECKPOINT',
    `there is no completed checkpoint ${String(checkpointId)} to go back to; ${reason}`,
    { details: { checkpointId } },
  );
}

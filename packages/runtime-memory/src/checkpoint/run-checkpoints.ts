import { type Checkpoint, isRsError, type MaybePromise, RsError } from '@rs/core';
import {
  type ChainedJob,
  checkpointOf,
  failureOf,
  isPromise,
  JobSinks,
  longTimer,
  type PartitionReader,
  replaceState,
  resumeJob,
  type RunHooks,
  runSteps,
  snapshotIn,
  type Steps,
  takeSnapshot,
  type Task,
} from '@rs/runtime';
import type { CheckpointedRun, CheckpointKeeper } from './keeper.ts';
import { unlessAborted } from './unless-aborted.ts';

/** How storing a checkpoint has gone. */
interface Stored {
  readonly checkpoint: Checkpoint;
  /** Why it is not stored. */
  readonly failure: { readonly error: unknown } | undefined;
}

/**
 * Checkpoints and transactions of one run.
 *
 * A checkpoint goes through three stages. It is *taken* in a break, between two records: transactions are prepared and the
 * state is copied. It is *stored* while the run goes on. It is *settled* in another break: transactions are committed and
 * sinks are told, so that no hook is called while a record is under way. One checkpoint goes through them at a time; others
 * wait for it.
 *
 * Invariant: after each wait the run may have been stopped, and then nothing more is taken.
 */
export class RunCheckpoints implements RunHooks, CheckpointedRun {
  readonly #task: Task;
  readonly #readers: readonly PartitionReader[];
  /** `undefined` where no checkpoints are taken. */
  readonly #keeper: CheckpointKeeper | undefined;
  #start: Checkpoint | undefined;
  #running: { readonly job: ChainedJob; readonly sinks: JobSinks } | undefined;
  /** Ids of those that wait for their turn. */
  readonly #asked: number[] = [];
  /** True while a checkpoint is on its way. */
  #busy = false;
  #storing: Promise<Stored> | undefined;
  /** What is being done in a break, or at the beginning or the end. */
  #working: PromiseLike<unknown> | undefined;
  #cancelTimer: () => void = () => undefined;
  /** True once the driver takes no more breaks. */
  #ending = false;
  #complete = false;
  /** The checkpoint that was stored at the end. */
  #finalId: number | undefined;

  constructor(task: Task, readers: readonly PartitionReader[], keeper: CheckpointKeeper | undefined) {
    this.#task = task;
    this.#readers = readers;
    this.#keeper = keeper;
  }

  /** Finds out what an eager run begins from. @throws RsError `RS_UNSUPPORTED` when checkpoints are stored */
  beginNow(): void {
    this.#start = this.#keeper?.beginNow(this);
  }

  /**
   * Finds out what the run begins from, or gives up waiting for that when the run is cancelled.
   *
   * @throws RsError what the storage throws, `RS_UNSUPPORTED` when another run uses it
   */
  async begin(signal: AbortSignal | undefined): Promise<void> {
    if (signal?.aborted === true) return;
    await unlessAborted(this.#work(this.#begin()), signal);
  }

  // For the keeper.

  get ranToEnd(): boolean {
    return this.#complete;
  }

  request(checkpointId: number): void {
    if (this.#task.stopped) return this.#keeper?.drop(checkpointId);
    this.#asked.push(checkpointId);
    this.#askForBreak();
  }

  restore(checkpoint: Checkpoint): void {
    const { checkpointId } = checkpoint;
    if (this.#running === undefined) {
      throw new RsError(
        'RS_UNSUPPORTED',
        `checkpoint ${checkpointId} cannot be restored while the operators of the job are being opened; do it before the run`,
      );
    }
    replaceState(this.#running.job, { checkpointId, snapshot: snapshotIn(checkpoint) });
  }

  final(newId: () => number): Checkpoint | number {
    if (this.#finalId !== undefined) return this.#finalId;
    const { job } = this.#parts();
    return checkpointOf(newId(), this.#task.options.clock.now(), takeSnapshot(job, this.#readers, []));
  }

  // For the driver.

  created(job: ChainedJob): void {
    const sinks = new JobSinks(job, this.#task);
    this.#running = { job, sinks };
    if (this.#start === undefined) return;
    const { checkpointId } = this.#start;
    resumeJob(job, this.#readers, sinks, { checkpointId, snapshot: snapshotIn(this.#start) });
    const facts = { component: 'checkpoint', checkpointId };
    const { logger } = this.#task.options;
    logger.info(facts, `the run begins from checkpoint ${checkpointId}`);
    if (this.#readers.length > 0 && this.#readers.every((reader) => job.ended.has(reader))) {
      logger.warn(
        facts,
        `all sources had ended in checkpoint ${checkpointId}: the run reads nothing, also where there is more by now`,
      );
    }
  }

  opened(): MaybePromise<void> {
    return this.#work(this.#open());
  }

  finished(): MaybePromise<void> {
    this.#ending = true;
    return this.#work(this.#finish());
  }

  stopped(): MaybePromise<void> {
    this.#ending = true;
    this.#cancelTimer();
    this.#keeper?.ending(this);
    return runSteps(this.#stop());
  }

  *#begin(): Steps {
    this.#start = (yield this.#keeper?.begin(this)) as Checkpoint | undefined;
  }

  *#open(): Steps {
    if (this.#start !== undefined) {
      const { checkpointId } = this.#start;
      yield* this.#parts().sinks.restore(checkpointId, snapshotIn(this.#start).sinks);
    }
    this.#start = undefined; // It may be large.
    if (!this.#task.stopped && this.#task.options.mode === 'async') this.#startTimer();
  }

  *#finish(): Steps {
    this.#cancelTimer();
    if (this.#storing !== undefined) yield* this.#settle((yield this.#storing) as Stored);
    for (let id = this.#asked.shift(); id !== undefined; id = this.#asked.shift())
      yield* this.#takeAndStore(id);
    const { sinks } = this.#parts();
    if (this.#keeper?.settings.storage === undefined) yield* sinks.prepareTransactions();
    else {
      this.#finalId = yield* this.#storeFinal(this.#keeper);
      sinks.hold();
    }
    yield* sinks.commit();
    if (this.#finalId !== undefined) yield* this.#tellCompleted(this.#finalId);
    this.#complete = true;
  }

  /** Goes on after the driver has stopped waiting for it. */
  *#stop(): Steps {
    try {
      yield* this.#endAll();
    } finally {
      this.#keeper?.ended(this);
    }
  }

  *#endAll(): Steps {
    try {
      yield this.#working;
    } catch {
      // Told already: it is what the run has failed with, or it was cut short by the end of the run.
    }
    for (const checkpointId of this.#asked.splice(0)) this.#keeper?.drop(checkpointId);
    if (this.#storing !== undefined) yield* this.#settle((yield this.#storing) as Stored);
    if (this.#complete || this.#running === undefined) return;
    yield* this.#quietly(this.#running.sinks.abort(), 'a transaction could not be aborted');
  }

  #startTimer(): void {
    const interval = this.#keeper?.settings.interval;
    if (interval === undefined) return;
    this.#cancelTimer = longTimer(this.#task.options.scheduler, interval, () => {
      this.#startTimer();
      if (!this.#busy && this.#keeper !== undefined) this.request(this.#keeper.newId());
    });
  }

  #askForBreak(): void {
    if (this.#busy || this.#ending || this.#asked.length === 0) return;
    this.#busy = true;
    this.#task.requestBreak(() => this.#work(this.#takeNext()));
  }

  /** Takes the next checkpoint, and leaves storing it to itself. */
  *#takeNext(): Steps {
    const checkpointId = this.#asked.shift();
    const checkpoint = checkpointId === undefined ? undefined : yield* this.#take(checkpointId);
    if (checkpoint === undefined) return this.#next();
    const keeping = this.#keeper?.keep(checkpoint);
    if (isPromise(keeping)) this.#storing = this.#store(checkpoint, keeping);
    else yield* this.#settle({ checkpoint, failure: undefined });
  }

  async #store(checkpoint: Checkpoint, keeping: PromiseLike<unknown>): Promise<Stored> {
    const stored = await outcomeOf(checkpoint, keeping);
    if (!this.#ending) this.#task.requestBreak(() => this.#work(this.#settle(stored)));
    return stored;
  }

  *#settle({ checkpoint: { checkpointId }, failure }: Stored): Steps {
    this.#storing = undefined;
    if (failure !== undefined) yield* this.#abort(checkpointId, failure.error);
    else {
      const { sinks } = this.#parts();
      sinks.hold();
      const message = 'a transaction could not be committed; that is tried again after the next checkpoint';
      yield* this.#quietly(sinks.commit(), message);
      yield* this.#tellCompleted(checkpointId);
    }
    this.#next();
  }

  #next(): void {
    this.#busy = false;
    this.#askForBreak();
  }

  /** At the end of the run nothing else goes on meanwhile. */
  *#takeAndStore(checkpointId: number): Steps {
    const checkpoint = yield* this.#take(checkpointId);
    if (checkpoint === undefined) return;
    const keeping = this.#keeper?.keep(checkpoint);
    const stored = isPromise(keeping)
      ? yield outcomeOf(checkpoint, keeping)
      : { checkpoint, failure: undefined };
    yield* this.#settle(stored as Stored);
  }

  /** Without it, starting the job again would repeat what came after the checkpoint before. */
  *#storeFinal(keeper: CheckpointKeeper): Steps<number> {
    const checkpointId = keeper.newId();
    try {
      yield keeper.keep(yield* this.#snapshot(checkpointId));
    } catch (error) {
      yield* this.#abort(checkpointId, error);
      throw failureOf('RS_CHECKPOINT_FAILED', 'the checkpoint at the end of the run', error);
    }
    return checkpointId;
  }

  /** Takes a checkpoint; `undefined` when it was aborted. */
  *#take(checkpointId: number): Steps<Checkpoint | undefined> {
    try {
      return yield* this.#snapshot(checkpointId);
    } catch (error) {
      if (isRefused(error)) throw error;
      yield* this.#abort(checkpointId, error);
      return undefined;
    }
  }

  *#snapshot(checkpointId: number): Steps<Checkpoint> {
    const { job, sinks } = this.#parts();
    yield* sinks.prepare(checkpointId);
    const snapshot = takeSnapshot(job, this.#readers, sinks.snapshot());
    return checkpointOf(checkpointId, this.#task.options.clock.now(), snapshot);
  }

  *#abort(checkpointId: number, cause: unknown): Steps {
    const { logger } = this.#task.options;
    this.#keeper?.drop(checkpointId);
    const facts = { component: 'checkpoint', checkpointId, error: cause };
    if (this.#task.stopped) logger.debug(facts, `checkpoint ${checkpointId} was given up`);
    else logger.error(facts, `checkpoint ${checkpointId} was aborted`);
    const { sinks } = this.#parts();
    if (this.#keeper?.mayBeStored(checkpointId) === true) sinks.hold();
    const aborted = sinks.aborted(checkpointId, cause);
    yield* this.#quietly(aborted, `a sink failed in onCheckpointAbort of checkpoint ${checkpointId}`);
  }

  *#tellCompleted(checkpointId: number): Steps {
    const completed = this.#parts().sinks.completed(checkpointId);
    yield* this.#quietly(completed, `a sink failed in onCheckpointComplete of checkpoint ${checkpointId}`);
  }

  /** What fails here is told: the checkpoint, or the end of the run, is what it is. */
  *#quietly(steps: Steps, message: string): Steps {
    try {
      yield* steps;
    } catch (error) {
      // Nobody waits for a promise in an eager run: that must not go unnoticed until the run is over.
      if (isRefused(error) && !this.#task.stopped) throw error;
      this.#task.options.logger.error({ component: 'checkpoint', error }, message);
    }
  }

  #work(steps: Steps): MaybePromise<void> {
    const waiting = runSteps(steps);
    if (!isPromise(waiting)) return;
    this.#working = waiting;
    const done = () => {
      if (this.#working === waiting) this.#working = undefined;
    };
    waiting.then(done, done);
    return waiting;
  }

  #parts(): { readonly job: ChainedJob; readonly sinks: JobSinks } {
    if (this.#running !== undefined) return this.#running;
    throw new RsError('RS_CLOSED', 'the run has no operators yet');
  }
}

async function outcomeOf(checkpoint: Checkpoint, keeping: PromiseLike<unknown>): Promise<Stored> {
  try {
    await keeping;
    return { checkpoint, failure: undefined };
  } catch (error) {
    return { checkpoint, failure: { error } };
  }
}

function isRefused(error: unknown): boolean {
  return isRsError(error, 'RS_ASYNC_IN_EAGER_RUN');
}

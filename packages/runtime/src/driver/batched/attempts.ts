import { isRsError } from '@rs/core';
import type { StateBackend } from './backend.ts';
import type { CommitPart, Extent } from './batch-division.ts';
import type { BatchedOptions } from './batched-options.ts';
import type { BatchedTask } from './batched-task.ts';
import type { Commits } from './commits.ts';
import type { FailedTimer } from './failed-timer.ts';
import type { InputItem } from './input-item.ts';

/** What a batch was given up for: everything is as it was before it. */
interface Failure {
  readonly error: unknown;
  /** True when the backend did not admit a commit. */
  readonly refused: boolean;
  /** True when it can take the batch in parts only. */
  readonly tooLarge: boolean;
  /** The item of the batch that the failure comes of, where that is known. */
  readonly origin: number | undefined;
  /** Timers that had fired in it. */
  readonly fired: number;
  /** True when a timer has failed that something in the batch had set: undone, it is not there. */
  readonly unset: boolean;
}

/** Something that a batch does; it may commit a part of itself. */
type Step = (commit: CommitPart) => Promise<void>;

/** What the driver tells of the failure that it threw last. */
interface LastFailure {
  readonly byUser: boolean;
  readonly timer: FailedTimer | undefined;
}

/** Tries batches until they are committed, or their items have used up their attempts. */
export class Attempts {
  readonly #task: BatchedTask;
  readonly #commits: Commits;
  readonly #backend: StateBackend;
  readonly #options: BatchedOptions;
  #last: LastFailure | undefined;

  constructor(task: BatchedTask, commits: Commits, backend: StateBackend, options: BatchedOptions) {
    this.#task = task;
    this.#commits = commits;
    this.#backend = backend;
    this.#options = options;
  }

  /** That of the last attempt; `undefined` when it succeeded. */
  get lastFailure(): LastFailure | undefined {
    return this.#last;
  }

  /**
   * Items as one batch. When that fails, those before the failing one go on without it, then it alone; where many fail, batches
   * become smaller, so that little is done in vain.
   *
   * @throws the error of an item that goes on failing
   */
  async process(items: readonly InputItem[]): Promise<void> {
    const start = this.#commits.offset;
    const settled = () => this.#commits.offset - start;
    let size = items.length;
    let limit = size;
    for (let from = 0; from < items.length; from = settled()) {
      const batch = items.slice(from, from + size);
      const failure = await (batch.length > 1
        ? this.#attempt((commit) => this.#task.feed(batch, commit), batch.length)
        : this.#settleOne(batch));
      // A part of the batch may have been committed before it failed.
      const failing = failure?.origin === undefined ? undefined : failure.origin - (settled() - from);
      if (failure === undefined) {
        size = Math.min(2 * size, limit);
      } else if (failure.tooLarge) {
        limit = size = Math.ceil(batch.length / 2);
      } else if (failing === 0) {
        await this.#settleOne(items.slice(settled()));
        size = Math.ceil(batch.length / 2);
      } else {
        size = failing ?? 1;
      }
    }
  }

  async #settleOne(items: readonly InputItem[]): Promise<undefined> {
    return this.settle((commit) => this.#task.feed(items.slice(0, 1), commit), 1);
  }

  /**
   * A step that settles this many items, in a commit of its own.
   *
   * @throws the error of the last attempt
   */
  async settle(step: Step, items: number): Promise<undefined> {
    for (let attempt = 1; ; attempt++) {
      let failure = await this.#attempt(step, items);
      // What is refused may be what one of the timers leads to, and a timer that has failed may have been set by another one, which then
      // is committed first: that is found out before the item is blamed.
      while (
        failure !== undefined &&
        (failure.refused || failure.unset) &&
        this.#task.fireFewer(failure.fired)
      ) {
        failure = await this.#attempt(step, items);
      }
      if (failure === undefined) return undefined;
      if (attempt >= this.#options.attempts) throw failure.error;
    }
  }

  /** Waits for what is on its way. @throws as `process` of the driver */
  async flush(): Promise<void> {
    await this.#commits.answered();
    this.#task.applied();
  }

  /** One try at a batch; a failure of user code is returned, and everything is as before. */
  async #attempt(step: Step, items: number): Promise<Failure | undefined> {
    const start = this.#commits.offset;
    const state = { refused: false, committing: false, settles: 0 };
    const commit = async (extent: Extent) => {
      // Before it is collected, and not before it is handed over: a batch that waits here is kept in memory.
      state.committing = true;
      await this.flush();
      state.committing = false;
      const offset = start + extent.items;
      const batch = this.#task.collect({ seq: this.#commits.seq + 1, offset }, extent);
      state.refused = true;
      state.settles = extent.done === undefined ? extent.items : 0;
      this.#backend.admit?.(batch);
      state.refused = false;
      state.committing = true;
      this.#task.collected(extent);
      this.#commits.handOver(batch);
      if (this.#options.overlap !== true) await this.flush();
      state.committing = false;
    };
    this.#last = undefined;
    this.#commits.assertOpen(); // Not below: what it throws is told once.
    try {
      this.#task.follow();
      await step(commit);
      await commit({ items });
    } catch (error) {
      if (state.committing) throw error; // The task is lost.
      return this.#undo(error, state.refused, state.settles);
    }
    this.#task.setWaiting(true);
    return undefined;
  }

  /** Invariant: cells are only forgotten, and read again, when the backend has everything that was committed before. */
  async #undo(error: unknown, refused: boolean, settles: number): Promise<Failure> {
    const byUser = refused || this.#task.failedByUser;
    const { timer: failed, origin } = this.#task.failure;
    const timer = refused && settles === 0 ? this.#task.firedAlone : failed;
    const { fired } = this.#task;
    await this.flush(); // Throws when it was closed meanwhile: a rewind would bring the task back to life.
    this.#task.rewind(this.#commits.facts);
    const unset = timer !== undefined && !this.#task.hasTimer(timer);
    this.#last = { byUser, timer: unset ? undefined : timer };
    if (!byUser) throw error; // The backend's: trying the items one by one would not help.
    const tooLarge = refused && isRsError(error, 'RS_RECORD_TOO_LARGE');
    return { error, refused, tooLarge, origin, fired, unset };
  }
}

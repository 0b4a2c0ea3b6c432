import { RsError } from '@rs/core';
import type { KeptState } from '../../operator/keyed-group.ts';
import { closeOperators } from '../lifecycle.ts';
import { Attempts } from './attempts.ts';
import type { StateBackend, TaskSnapshot } from './backend.ts';
import type { BatchedOptions, TaskPlace } from './batched-options.ts';
import { BatchedTask } from './batched-task.ts';
import { Commits } from './commits.ts';
import type { FailedTimer } from './failed-timer.ts';
import type { InputItem } from './input-item.ts';

/**
 * Runs a task over state that is read and written asynchronously: items in batches, one commit per batch.
 *
 * A batch goes through the operators in steps. Operators that keep state stand behind barriers; when a batch has arrived
 * at one, the state its items need is read in one go, and then they are processed one after the other. Results do not depend on
 * where batches are cut.
 *
 * Invariant: the backend changes only by commit, and a commit holds whole input items, or tells how far it is within one;
 * after a crash at any point a new driver goes on from what was committed, and the result is as if nothing had happened.
 */
export class BatchedDriver {
  readonly #options: BatchedOptions;
  readonly #commits: Commits;
  readonly #task: BatchedTask;
  readonly #attempts: Attempts;
  #processing = false;

  private constructor(place: TaskPlace, backend: StateBackend, options: BatchedOptions) {
    this.#options = options;
    this.#commits = new Commits(backend, () => this.close());
    this.#task = new BatchedTask(place, backend, options, () => this.#commits.settled());
    this.#attempts = new Attempts(this.#task, this.#commits, backend, options);
  }

  /** Opens a task where its last commit left it. @throws RsError as {@link process}, and what the backend throws */
  static async open(
    place: TaskPlace,
    backend: StateBackend,
    options: BatchedOptions,
  ): Promise<BatchedDriver> {
    const driver = new BatchedDriver(place, backend, options);
    try {
      await driver.#start(await backend.open());
      return driver;
    } catch (error) {
      driver.close();
      throw error;
    }
  }

  /**
   * Number of input items that are settled: the next one to give to {@link process}. With `overlap` those count whose commit
   * was handed over; {@link flush} waits until it is applied.
   */
  get position(): number {
    return this.#commits.offset;
  }

  /** Number of the last commit that was handed over; 0 for a task that never committed. */
  get seq(): number {
    return this.#commits.seq;
  }

  /**
   * When {@link tick} has timers to fire: when the next one on processing time is due, `−Infinity` when some are left of an
   * earlier commit; `Infinity` when none waits for the clock.
   */
  get nextTimer(): number {
    const { due, repeats } = this.#task.progress;
    if (due) return -Infinity;
    if (repeats) return Infinity; // The item that was begun comes first.
    if (this.#options.processingTime !== 'clock') return Infinity;
    return Math.min(
      Infinity,
      ...this.#task.plan.operators.map(({ instance }) => instance.nextProcessingTime?.() ?? Infinity),
    );
  }

  /** When {@link tick} must look for idle inputs. @param eventTimers the times of all that wait, here and in later tasks */
  nextIdleCheck(eventTimers: () => readonly number[]): number {
    return this.#task.progress.repeats ? Infinity : this.#task.time.nextCheck(eventTimers);
  }

  /** The states that user functions have declared on the streams of this task, or in their `open`. */
  get states(): readonly KeptState[] {
    return this.#task.plan.groups.flatMap((group) => group.declared());
  }

  /** Event time of the operators that keep one, by operator id, as of {@link position}; −∞ before the first watermark. */
  get watermarks(): Readonly<Record<string, number>> {
    return Object.fromEntries(
      Object.entries(this.#commits.facts).flatMap(([operator, { watermark }]) =>
        watermark === undefined ? [] : [[operator, Number(watermark)] as const],
      ),
    );
  }

  /** The first time that each operator with event timers waits for, for {@link nextIdleCheck} of a job of one stage. */
  get eventTimers(): readonly number[] {
    return this.#task.eventTimers;
  }

  /** True when what the last call threw came of user code, or of a batch that was not admitted: not of the backend. */
  get failedByUser(): boolean {
    return this.#attempts.lastFailure?.byUser === true;
  }

  /**
   * The timer whose callback failed, when that is what the last call threw for: also a window's, and whatever the callback led
   * to. {@link discardTimer} gives it up.
   */
  get failedTimer(): FailedTimer | undefined {
    return this.#attempts.lastFailure?.timer;
  }

  /**
   * Says whether the task waits for its input: only then is it quiet time, after which an input counts as idle. A batch sets
   * that to true; a caller that is paused, or held up, sets it to false meanwhile.
   */
  setWaiting(waiting: boolean): void {
    if (this.#processing || this.#commits.closed) return;
    this.#task.follow();
    this.#task.setWaiting(waiting);
  }

  /**
   * Processes the next items of the input as one batch and commits it. When one of them fails, the batch is undone
   * and its items are processed one per commit, so that all before the failing one are settled. A batch that the backend does
   * not admit, since it is too large, is processed in halves.
   *
   * @throws RsError the failing item's error, once its attempts are used up; {@link position} is then at that item.
   *   `RS_COMMIT_REJECTED` when the task has another owner, or whatever the backend threw when it gave no answer to a
   *   commit, with `overlap` also one of an earlier call; the driver is then of no more use, and a new one goes on from what
   *   was committed. `RS_CLOSED` when it is closed meanwhile, `RS_UNSUPPORTED` while an earlier call is under way.
   */
  async process(items: readonly InputItem[]): Promise<void> {
    await this.#alone(() => this.#attempts.process(items));
  }

  /**
   * The clock has moved on without items: fires the processing-time timers that are due, notices idle inputs, and commits.
   *
   * @throws RsError as {@link process}
   */
  async tick(): Promise<void> {
    await this.#alone(() => this.#attempts.settle((commit) => this.#task.advanceClock(commit), 0));
  }

  /**
   * Goes past the next items without processing them, since they were given up, in a commit of its own.
   *
   * @throws RsError as {@link process}
   */
  async skip(count: number): Promise<void> {
    await this.#alone(() => this.#attempts.settle(() => Promise.resolve(), count));
  }

  /**
   * Gives up a timer whose callback goes on failing, in a commit of its own: it will not fire. With a window's last timer,
   * the one at its cleanup time, the window goes too, unfired.
   *
   * @returns false when there is no such timer (any more); nothing is committed then
   * @throws RsError as {@link process}
   */
  async discardTimer(timer: FailedTimer): Promise<boolean> {
    let discarded = false;
    await this.#alone(async () => {
      await this.#task.loadTimersBefore(timer);
      if (!this.#task.hasTimer(timer)) return;
      await this.#attempts.settle(() => this.#task.discardTimer(timer), 0);
      discarded = true;
    });
    return discarded;
  }

  /**
   * Resolves when everything that was handed over is applied. Without `overlap` that is so after each call.
   *
   * @throws RsError as {@link process}
   */
  async flush(): Promise<void> {
    await this.#alone(() => this.#attempts.flush());
  }

  /**
   * Ends the driver; what was not committed has never happened, and whether what was handed over is applied is known to the
   * backend alone. Closing again does nothing.
   */
  close(): void {
    if (this.#commits.closed) return;
    this.abandon();
    closeOperators([this.#task.plan], this.#options.logger);
  }

  /**
   * The process of the task is gone: what is under way fails with `RS_CLOSED`, and nothing is closed, since nobody is there to
   * do it. For those who simulate a crash.
   */
  abandon(): void {
    this.#commits.close();
    this.#task.task.stop();
  }

  async #start(snapshot: TaskSnapshot | undefined): Promise<void> {
    if (snapshot === undefined) {
      this.#task.plan.place.store.begin();
    } else {
      this.#commits.resume(snapshot);
      await this.#task.resume(snapshot);
      this.#commits.assertOpen();
    }
    this.#commits.begin(this.#task.facts());
    this.#task.setWaiting(true);
    const beginning = this.#commits.seq > 0 ? undefined : this.#task.beginning();
    if (beginning !== undefined) await this.#attempts.settle(beginning, 0);
  }

  async #alone(work: () => Promise<void>): Promise<void> {
    this.#commits.assertOpen();
    if (this.#processing) {
      throw new RsError(
        'RS_UNSUPPORTED',
        'the driver processes one batch at a time; await the call before the next',
      );
    }
    this.#processing = true;
    try {
      await work();
    } finally {
      this.#processing = false;
    }
  }
}

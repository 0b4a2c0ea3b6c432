import { isRsError } from '@rs/core';
import { asRsError, failureKind } from './failure.ts';
import type { TaskEnd } from './runner.ts';
import { type Failing, TaskFailures } from './task-failures.ts';
import type { NextInput } from './task-input.ts';
import type { FailedWork, TaskWorkParts } from './task-work-parts.ts';

/** What user code that fails was called for, where it was no timer. */
type Blamed = 'the next record' | 'no record';

/** How long to wait before Redis is asked again, in milliseconds. */
const REDIS_PAUSE = { first: 50, longest: 1_000 } as const;
const ONE = { records: 1, bytes: Infinity } as const;

/** The loop of a task: what has been read is processed, what is due fires, what fails is tried again or given up. */
export class TaskWork {
  readonly #parts: TaskWorkParts;
  readonly #failures: TaskFailures;
  #redisPause: number = REDIS_PAUSE.first;
  #end: TaskEnd | undefined;
  /** True when the last thing that was done was a tick: then it is the input's turn. */
  #ticked = false;
  #retrying = false;
  #ended = false;
  #callingSince: number | undefined;

  constructor(parts: TaskWorkParts) {
    this.#parts = parts;
    this.#failures = new TaskFailures(parts.settings.retry, parts.settings.random);
  }

  /** True once nothing more is processed. */
  get ended(): boolean {
    return this.#ended;
  }

  /** Milliseconds that user code has been called for, without an end; 0 while it is not. */
  get calling(): number {
    return this.#callingSince === undefined
      ? 0
      : this.#parts.settings.timers.monotonic() - this.#callingSince;
  }

  /** True while something that failed waits to be tried again. */
  get retrying(): boolean {
    return this.#retrying;
  }

  /** Works until there is a reason not to. Never rejected but by bugs. */
  async run(): Promise<TaskEnd> {
    try {
      return await this.#run();
    } finally {
      this.#ended = true;
    }
  }

  async #run(): Promise<TaskEnd> {
    const { control } = this.#parts;
    while (this.#end === undefined) {
      const { lost, failed, stop } = control;
      if (lost !== undefined) return { type: 'lost', error: lost };
      if (failed !== undefined) return { type: 'failed', error: failed };
      if (stop?.drain === false) return { type: 'released' };
      if (control.paused) await this.#pause();
      else await this.#step();
    }
    return this.#end;
  }

  async #step(): Promise<void> {
    const { driver, control, deliveries, throttle, sweep } = this.#parts;
    if (sweep.dueIn <= 0 && !this.#failures.any) return this.#sweep();
    if (this.#tickIn() <= 0 && !this.#ticked) {
      this.#ticked = true;
      if (await this.#attempt(() => driver.tick(), 'no record')) this.#failures.ticked();
      return;
    }
    this.#ticked = false;
    if (deliveries.full) return this.#waitForSinks();
    const pause = throttle();
    if (pause > 0) await control.sleep(pause);
    const next = this.#nextInput();
    if (next?.type === 'items') return this.#process(next);
    if (next?.type === 'unreadable') return this.#unreadable(next);
    if (next?.type === 'none') await this.#nothing();
  }

  /** `undefined` when a read has failed for good: the work has ended. */
  #nextInput(): NextInput | undefined {
    const { driver, input, control, suspicion, settings, size } = this.#parts;
    // Those that may have ended the process are not held in memory in great number.
    if (control.stop === undefined) input.read(suspicion.active ? 1 : undefined);
    const oneByOne = suspicion.active || this.#failures.any;
    try {
      return input.next(
        driver.position,
        oneByOne ? ONE : { records: size.records, bytes: settings.batch.bytes },
      );
    } catch (error) {
      if (failureKind(error, false) === 'fatal') {
        this.#fail(error);
        return undefined;
      }
      // Asked for again after a pause, which is taken where nothing else is to do.
      this.#parts.onFailure(asRsError(error, 'reading the log'), 1);
      void this.#wakeAfterPause();
      return { type: 'none' };
    }
  }

  async #wakeAfterPause(): Promise<void> {
    await this.#parts.control.sleep(this.#nextRedisPause());
    this.#parts.control.notify();
  }

  async #process({ items }: Extract<NextInput, { type: 'items' }>): Promise<void> {
    const { driver, queue, suspicion, commits, settings, size, busyTime } = this.#parts;
    const entry = queue.entryAt(driver.position);
    if (suspicion.active && entry !== undefined) {
      const { id } = entry;
      const crashes = suspicion.crashesOf(id);
      if (crashes >= settings.maxDeliveries) {
        if (settings.onPoison === 'halt') return this.#fail(commits.crashError(entry, crashes));
        await this.#giveUp(() => commits.giveUpCrashing(entry, crashes));
        return;
      }
      if (!(await this.#attempt(() => commits.mark(id)))) return;
    }
    const endTurn = await this.#turn();
    if (endTurn === undefined) return;
    const busy = busyTime();
    const done = await this.#attempt(() => driver.process(items), 'the next record', endTurn);
    size.processed(items.length, busyTime() - busy);
    if (!done) return;
    this.#failures.processed();
    if (suspicion.settled()) commits.recovered();
  }

  /** Waits for the task's turn; `undefined` when the work is to end first. */
  async #turn(): Promise<(() => void) | undefined> {
    const { turn, control } = this.#parts;
    const waiting = turn();
    const granted = await Promise.race([waiting, control.ending]);
    if (granted === undefined) void waiting.then((end) => end());
    return granted;
  }

  async #unreadable({ entry, error }: Extract<NextInput, { type: 'unreadable' }>): Promise<void> {
    const { commits, settings } = this.#parts;
    if (settings.onPoison === 'halt') return this.#fail(error);
    await this.#giveUp(() => commits.giveUpUnreadable(entry, error));
  }

  /** There is nothing to process: a read is under way, or the input has nothing more. */
  async #nothing(): Promise<void> {
    const { driver, input, control, deliveries, suspicion, commits, listen } = this.#parts;
    if (!(await this.#attempt(() => driver.flush()))) return;
    if (input.waiting && suspicion.end()) commits.recovered();
    if ((deliveries.moved || commits.pending) && !(await this.#attempt(() => commits.touch()))) return;
    const over = input.ended || (control.stop !== undefined && !input.reading);
    if (over && input.none(driver.position) && deliveries.empty && !deliveries.moved) {
      this.#end ??= { type: input.ended ? 'finished' : 'released' };
      return;
    }
    const stop = input.waiting && control.stop === undefined ? listen() : () => undefined;
    await control.wait(Math.max(0, Math.min(this.#tickIn(), this.#parts.sweep.dueIn)));
    stop();
  }

  /** What cannot be removed now can be later: nothing is tried again for its sake. */
  async #sweep(): Promise<void> {
    const { driver, sweep, control, onFailure } = this.#parts;
    try {
      await driver.flush();
    } catch (error) {
      return this.#failed(error, 'no record');
    }
    try {
      await sweep.run();
    } catch (error) {
      const failure = asRsError(error, 'removing what has expired');
      if (failure.code === 'RS_LEASE_LOST') control.lose(failure);
      else onFailure(failure, 1);
    }
  }

  /** Milliseconds until timers fire, or idle inputs are looked for. */
  #tickIn(): number {
    const { driver, clock } = this.#parts;
    return (
      Math.min(
        driver.nextTimer,
        driver.nextIdleCheck(() => driver.eventTimers),
      ) - clock.now()
    );
  }

  async #pause(): Promise<void> {
    const { driver, control, deliveries, commits } = this.#parts;
    driver.setWaiting(false);
    if (!(await this.#attempt(() => driver.flush()))) return;
    if (deliveries.moved && !(await this.#attempt(() => commits.touch()))) return;
    if (control.paused) await control.wait(Infinity);
    driver.setWaiting(true);
  }

  async #waitForSinks(): Promise<void> {
    const { driver, control, deliveries, commits } = this.#parts;
    driver.setWaiting(false);
    if (!(await this.#attempt(() => driver.flush()))) return;
    if (deliveries.moved && !(await this.#attempt(() => commits.touch()))) return;
    if (deliveries.full) await control.wait(Infinity);
    driver.setWaiting(true);
  }

  /** Returns false when it has failed; what follows from that is seen to. */
  async #attempt(
    work: () => Promise<unknown>,
    blamed: Blamed = 'no record',
    after: () => void = () => undefined,
  ): Promise<boolean> {
    let failure: { readonly error: unknown } | undefined;
    this.#callingSince = this.#parts.settings.timers.monotonic();
    try {
      await work();
    } catch (error) {
      failure = { error };
    } finally {
      this.#callingSince = undefined;
      after();
    }
    if (failure !== undefined) {
      await this.#failed(failure.error, blamed);
      return false;
    }
    this.#redisPause = REDIS_PAUSE.first;
    return true;
  }

  async #failed(error: unknown, blamed: Blamed): Promise<void> {
    const { driver, onFailure, settings } = this.#parts;
    const kind = failureKind(error, driver.failedByUser);
    if (kind === 'lost') return this.#lose(error);
    if (kind === 'fatal') return this.#fail(error);
    if (kind === 'redis') {
      onFailure(asRsError(error, 'Redis'), 1);
      return this.#rest(this.#nextRedisPause());
    }
    const failing = this.#whatFailed(blamed);
    if (failing === undefined) return this.#fail(error); // Leaving out a record would help nobody.
    const attempts = this.#failures.note(failing);
    const again = settings.onPoison === 'retry' || (kind === 'record' && attempts < settings.retry.attempts);
    if (again) {
      onFailure(asRsError(error, 'user code'), attempts, this.#named(failing));
      return this.#rest(this.#failures.delay(attempts));
    }
    if (settings.onPoison === 'halt') return this.#fail(error);
    await this.#giveUpFailed(failing, error, attempts);
  }

  #whatFailed(blamed: Blamed): Failing | undefined {
    const { driver } = this.#parts;
    if (driver.failedTimer !== undefined) return { timer: driver.failedTimer };
    return blamed === 'the next record' ? { item: driver.position } : undefined;
  }

  /** For those who are told of it: they know messages. */
  #named(failing: Failing): FailedWork | undefined {
    if ('timer' in failing) return failing;
    const id = this.#parts.queue.entryAt(failing.item)?.id;
    return id === undefined ? undefined : { record: id };
  }

  async #giveUpFailed(failing: Failing, error: unknown, attempts: number): Promise<void> {
    const { queue, commits } = this.#parts;
    let over: boolean;
    if ('timer' in failing) {
      over = await this.#giveUp(() => commits.giveUpTimer(failing.timer, error, attempts));
    } else {
      const entry = queue.entryAt(failing.item);
      if (entry === undefined) return this.#fail(error); // No record is to blame.
      over = await this.#giveUp(() => commits.giveUpFailed(entry, error, attempts));
    }
    if (over) this.#failures.forget(failing);
  }

  /** What is given up must not fail for its own sake: nobody would be left to blame. */
  async #giveUp(work: () => Promise<unknown>): Promise<boolean> {
    const { driver, onFailure } = this.#parts;
    try {
      await work();
      return true;
    } catch (error) {
      const kind = failureKind(error, driver.failedByUser);
      if (kind === 'lost') this.#lose(error);
      else if (kind !== 'redis') this.#fail(error);
      else {
        onFailure(asRsError(error, 'Redis'), 1);
        await this.#rest(this.#nextRedisPause());
      }
      return false;
    }
  }

  /** A batch that was undone since the work is to end is no loss: the task is still ours to give back. */
  #lose(error: unknown): void {
    const { control } = this.#parts;
    if (control.stop?.drain === false && isRsError(error, 'RS_CLOSED')) return;
    control.lose(asRsError(error, 'the task was lost'));
  }

  /** Waits before something is tried again; that is no quiet time of the source. */
  async #rest(ms: number): Promise<void> {
    const { driver, control } = this.#parts;
    this.#retrying = true;
    driver.setWaiting(false);
    await control.sleep(ms);
    driver.setWaiting(true);
    this.#retrying = false;
  }

  #nextRedisPause(): number {
    const pause = this.#redisPause;
    this.#redisPause = Math.min(pause * 2, REDIS_PAUSE.longest);
    return pause;
  }

  #fail(error: unknown): void {
    this.#end ??= { type: 'failed', error: asRsError(error, 'the task cannot go on') };
  }
}

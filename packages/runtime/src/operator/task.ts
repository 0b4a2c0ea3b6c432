import { type Clock, type Logger, type MaybePromise, RsError } from '@rs/core';
import { isPromise } from '../promise.ts';
import type { Random } from '../random.ts';
import type { SchemaMismatch } from '../state/store.ts';
import type { Scheduler } from '../time/scheduler.ts';
import type { StepwiseTime } from './stepwise-time.ts';
import type { TimerKind } from './timed-operator.ts';

/**
 * `records`: processing time is simulated, each operator's clock follows the timestamps of its records, so that runs
 * are repeatable. `clock`: it is the real time.
 */
export type ProcessingTimeMode = 'records' | 'clock';

export interface TaskOptions {
  /** `sync`: a promise from a user function is an error, since nobody would wait for it. */
  readonly mode: 'sync' | 'async';
  readonly processingTime: ProcessingTimeMode;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Waits for the clock, and lets the process's other events have their turn. */
  readonly scheduler: Scheduler;
  /** For waits that must not coincide. Default: `systemRandom`. */
  readonly random?: Random | undefined;
  /** False when state is an overlay over a backend. */
  readonly residentState: boolean;
  /** Milliseconds that keyed states live which declare no `ttl`. Default: until they are cleared. */
  readonly stateTtl?: number | undefined;
  /** What is done about stored state of another version than the code's. Default `fail`. */
  readonly schemaMismatch?: SchemaMismatch | undefined;
}

/**
 * Where items stand in the order in which a chain of calls would have made them, for drivers that do not process them in
 * that order.
 */
export interface ItemPlaces {
  /** The place of an item that comes from the current one. */
  reserve(): unknown;
  /** The place of what is left to do for the current item, which is put off now. */
  suspend(): unknown;
  /** Goes on at a place. */
  enter(place: unknown): void;
  /** What the current item, and everything that comes of it, is on account of: a timer that fires. */
  cause: unknown;
}

export interface LateRecord {
  readonly operator: string;
  readonly key: unknown;
  readonly value: unknown;
  readonly timestamp: number;
  readonly watermark: number;
}

/** Promises of operators after which other events have their turn. */
const SETTLED_IN_A_ROW = 256;

/** What user code has in hand while a promise of its is pending. */
export interface OpenScope {
  close(): void;
}

/** What the operators of one partition share: state, time, failure and the promises that are being waited for. */
export class Task {
  readonly options: TaskOptions;
  /** Kept by drivers that need it; an operator that goes on with an item later reserves its place before. */
  places: ItemPlaces | undefined = undefined;
  /** Kept by drivers that let time advance in steps. */
  stepwise: StepwiseTime | undefined = undefined;
  /** Told of each record that was late: for all of its windows, or by the word of a function. */
  onLate: (record: LateRecord) => void = () => undefined;
  /**
   * True when the driver must look: a promise is pending, the task was stopped, or a break was asked for; and where time may
   * come only so far. One check per record.
   */
  attention = false;
  /** True while the driver waits for its caller between two records. */
  resting = false;
  /** Counts rewinds; a promise of an earlier generation settles into nothing. */
  generation = 0;
  readonly #resets: (() => void)[] = [];
  readonly #scopes = new Set<OpenScope>();
  #pending = 0;
  #background = 0;
  #settledInARow = 0;
  #breath: Promise<void> | undefined;
  #failure: { readonly error: unknown; readonly cause: unknown } | undefined;
  #stopped = false;
  #waiting: (() => void)[] = [];
  readonly #listeners: (() => void)[] = [];
  #breaks: (() => MaybePromise<void>)[] = [];

  constructor(options: TaskOptions) {
    this.options = options;
  }

  /** True once nothing more may happen: the task failed or was cancelled. */
  get stopped(): boolean {
    return this.#stopped;
  }

  get pending(): boolean {
    return this.#pending > 0;
  }

  /**
   * Notes the first failure; it stands even when user code catches the error on its way up. What fails once the task was
   * stopped is a consequence of that, and no failure.
   */
  fail(error: unknown): void {
    if (!this.#stopped) this.#failure = { error, cause: this.places?.cause };
    this.stop();
  }

  stop(): void {
    this.#stopped = true;
    this.attention = true;
    this.#closeScopes();
    this.#notify();
  }

  /** A scope that must end with the task, or when its record is rewound, though its promise is still pending. */
  keepOpen(scope: OpenScope): void {
    if (this.#stopped) scope.close();
    else this.#scopes.add(scope);
  }

  /** The scope's promise is settled. */
  release(scope: OpenScope): void {
    this.#scopes.delete(scope);
  }

  /**
   * Calls back when the task is stopped, when background work has ended and when a break is asked for, for a driver that may
   * be asleep then.
   */
  onChange(listener: () => void): void {
    this.#listeners.push(listener);
  }

  /**
   * To be awaited before going on, now and then: promises that are settled already follow each other without ever
   * giving timers, I/O or an AbortSignal their turn. All that settle meanwhile wait for it, in their order.
   */
  breath(): Promise<void> | undefined {
    if (this.#breath !== undefined || ++this.#settledInARow < SETTLED_IN_A_ROW) return this.#breath;
    this.#settledInARow = 0;
    this.#breath = this.options.scheduler.breathe().then(() => {
      this.#breath = undefined;
    });
    return this.#breath;
  }

  /** Registers what must be forgotten on a rewind. */
  onRewind(reset: () => void): void {
    this.#resets.push(reset);
  }

  /** Forgets the failure and everything in flight; state is rolled back by the driver. */
  rewind(): void {
    this.generation++;
    this.#pending = 0;
    this.#background = 0;
    this.#failure = undefined;
    this.#stopped = false;
    this.stepwise?.reset();
    this.#look();
    this.#closeScopes();
    for (const reset of this.#resets) reset();
  }

  get failed(): boolean {
    return this.#failure !== undefined;
  }

  /** What the failed item was on account of; see {@link ItemPlaces}. */
  get failureCause(): unknown {
    return this.#failure?.cause;
  }

  /** Runs user code and what it leads to; what that throws fails the task. */
  guard<R>(step: () => R): R {
    try {
      return step();
    } catch (error) {
      this.fail(error);
      throw error;
    }
  }

  /** To be asked after every wait: throws the failure, or `RS_CLOSED` when the task was stopped meanwhile. */
  assertRunning(): void {
    this.throwFailure();
    if (this.#stopped)
      throw new RsError('RS_CLOSED', 'the task was closed; what it had not committed has no effect');
  }

  throwFailure(): void {
    if (this.#failure !== undefined) throw this.#failure.error;
  }

  /** How many timers may fire until further notice; `undefined`: all. For drivers that let time advance in steps. */
  bound(timers: number | undefined, kind?: TimerKind): void {
    this.stepwise?.bound(timers, kind);
    this.#look();
  }

  begin(): void {
    this.#pending++;
    this.attention = true;
  }

  finish(): void {
    this.#pending--;
    this.#look();
    if (this.#pending === 0) this.#notify();
  }

  /**
   * Asks for a moment between two records at which nothing is pending, so that state, timers and positions of sources fit
   * together, and does `step` then. While a promise of it is pending no record is processed.
   */
  requestBreak(step: () => MaybePromise<void>): void {
    this.#breaks.push(step);
    this.attention = true;
    if (this.resting) this.takeBreak();
    else this.#notify();
  }

  get breakRequested(): boolean {
    return this.#breaks.length > 0;
  }

  /** To be called between two records: does what was asked for, unless something is pending still. */
  takeBreak(): void {
    while (this.#pending === 0 && this.#background === 0 && !this.#stopped) {
      const step = this.#breaks.shift();
      if (step === undefined) break;
      const waiting = this.guard(step);
      if (isPromise(waiting)) this.#waitFor(waiting);
    }
    this.#look();
  }

  /** A promise is pending that further records need not wait for. */
  beginBackground(): void {
    this.#background++;
  }

  /** It is settled, and what it led to has been sent on. */
  finishBackground(): void {
    this.#background--;
    this.#notify();
  }

  /** True while anything is pending, in the background or not. */
  get working(): boolean {
    return this.#pending > 0 || this.#background > 0;
  }

  /** Resolves when nothing is pending that records wait for, or the task was stopped. */
  async settled(): Promise<void> {
    while (this.#pending > 0 && !this.#stopped) await this.#changed();
  }

  /** Resolves when nothing at all is pending, or the task was stopped. */
  async drained(): Promise<void> {
    while (this.working && !this.#stopped) await this.#changed();
  }

  #look(): void {
    this.attention =
      this.#stopped || this.#pending > 0 || this.#breaks.length > 0 || this.stepwise?.bounded === true;
  }

  #waitFor(promise: PromiseLike<unknown>): void {
    this.begin();
    promise.then(
      () => this.finish(),
      (error: unknown) => {
        this.fail(error);
        this.finish();
      },
    );
  }

  #changed(): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
    });
  }

  #notify(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const resolve of waiting) resolve();
    for (const listener of this.#listeners) listener();
  }

  /** The error for a promise where nobody could wait for it. */
  asyncRefused(operator: string, what = 'returned a promise'): RsError {
    return new RsError(
      'RS_ASYNC_IN_EAGER_RUN',
      `${operator} ${what}, but this pipeline runs at once and cannot wait; ` +
        'run it with `await env.executeAsync(job)` (or make the environment with `{ eager: false }`)',
      { details: { operator } },
    );
  }

  #closeScopes(): void {
    for (const scope of this.#scopes) scope.close();
    this.#scopes.clear();
  }
}

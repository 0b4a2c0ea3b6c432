import { type Clock, type Logger, RsError } from '@rs/core';
import { StateStore } from '../state/store.ts';

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
  /** Lets the process's other events have their turn. */
  readonly breathe?: (() => Promise<void>) | undefined;
  /** False when state is an overlay over a backend. */
  readonly residentState: boolean;
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
  readonly store: StateStore;
  /** Told of each record that was late for all of its windows. */
  onLate: (record: LateRecord) => void = () => undefined;
  /** True when the driver must look: a promise is pending, or the task was stopped. One check per record. */
  attention = false;
  /** Counts rewinds; a promise of an earlier generation settles into nothing. */
  generation = 0;
  readonly #resets: (() => void)[] = [];
  readonly #scopes = new Set<OpenScope>();
  #pending = 0;
  #settledInARow = 0;
  #failure: { readonly error: unknown } | undefined;
  #stopped = false;
  #wake: (() => void) | undefined;
  #stopListener: (() => void) | undefined;

  constructor(options: TaskOptions) {
    this.options = options;
    this.store = new StateStore({ resident: options.residentState });
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
    if (!this.#stopped) this.#failure = { error };
    this.stop();
  }

  stop(): void {
    this.#stopped = true;
    this.attention = true;
    this.#closeScopes();
    this.#wake?.();
    this.#stopListener?.();
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

  /** Calls back when the task is stopped, for a driver that may be asleep then. */
  onStop(listener: () => void): void {
    this.#stopListener = listener;
  }

  /**
   * To be awaited before going on, now and then: promises that are settled already follow each other without ever
   * giving timers, I/O or an AbortSignal their turn.
   */
  breath(): Promise<void> | undefined {
    if (this.options.breathe === undefined || ++this.#settledInARow < SETTLED_IN_A_ROW) return undefined;
    this.#settledInARow = 0;
    return this.options.breathe();
  }

  /** Registers what must be forgotten on a rewind. */
  onRewind(reset: () => void): void {
    this.#resets.push(reset);
  }

  /** Forgets the failure and everything in flight; state is rolled back by the driver. */
  rewind(): void {
    this.generation++;
    this.#pending = 0;
    this.#failure = undefined;
    this.#stopped = false;
    this.attention = false;
    this.#closeScopes();
    for (const reset of this.#resets) reset();
  }

  get failed(): boolean {
    return this.#failure !== undefined;
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

  begin(): void {
    this.#pending++;
    this.attention = true;
  }

  finish(): void {
    this.#pending--;
    this.attention = this.#stopped || this.#pending > 0;
    if (this.#pending === 0) this.#wake?.();
  }

  /** Resolves when no promise is pending or the task was stopped. */
  async settled(): Promise<void> {
    while (this.#pending > 0 && !this.#stopped) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  /** The error for a promise where nobody could wait for it. */
  asyncRefused(operator: string): RsError {
    return new RsError(
      'RS_ASYNC_IN_EAGER_RUN',
      `${operator} returned a promise, but this pipeline runs at once and cannot wait; ` +
        'run it with `await env.executeAsync(job)` (or make the environment with `{ eager: false }`)',
      { details: { operator } },
    );
  }

  #closeScopes(): void {
    for (const scope of this.#scopes) scope.close();
    this.#scopes.clear();
  }
}

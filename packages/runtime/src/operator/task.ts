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
  #pending = 0;
  #failure: { readonly error: unknown } | undefined;
  #stopped = false;
  #wake: (() => void) | undefined;
  #stopListener: (() => void) | undefined;

  constructor(options: TaskOptions) {
    this.options = options;
    this.store = new StateStore({ resident: options.residentState, processingTime: () => options.clock.now() });
  }

  /** True once nothing more may happen: the task failed or was cancelled. */
  get stopped(): boolean {
    return this.#stopped;
  }

  get pending(): boolean {
    return this.#pending > 0;
  }

  /** Notes the first failure; it stands even when user code catches the error on its way up. */
  fail(error: unknown): void {
    this.#failure ??= { error };
    this.stop();
  }

  stop(): void {
    this.#stopped = true;
    this.attention = true;
    this.#wake?.();
    this.#stopListener?.();
  }

  /** Calls back when the task is stopped, for a driver that may be asleep then. */
  onStop(listener: () => void): void {
    this.#stopListener = listener;
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
    for (const reset of this.#resets) reset();
  }

  get failed(): boolean {
    return this.#failure !== undefined;
  }

  /** Runs user code and what it leads to; what that throws fails the task. */
  guard(step: () => void): void {
    try {
      step();
    } catch (error) {
      this.fail(error);
      throw error;
    }
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
}

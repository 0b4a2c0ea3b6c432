import { type AsyncCallContext, type AsyncMapFunction, RsError } from '@rs/core';
import { errorReason } from '../../error-reason.ts';
import { failureOf } from '../../failure.ts';
import { systemRandom } from '../../random.ts';
import { longTimer } from '../../time/scheduler.ts';
import { assertSync } from '../sync-only.ts';
import type { OpenScope, Task } from '../task.ts';
import { type RetryPolicy, retryDelay } from './retry.ts';

/** How records are asked about. */
export interface CallSpec<T, R> {
  readonly fn: AsyncMapFunction<T, R>;
  /** Milliseconds that each attempt may take. */
  readonly timeout: number | undefined;
  readonly retry: RetryPolicy;
}

/** Told once how it ended, unless the call is closed before. */
export interface CallOutcome<R> {
  done(result: R): void;
  failed(error: unknown): void;
}

/**
 * Calls a function about one record, with a time-out for each attempt, until it succeeds or its attempts are used up.
 * Always answers later, never within `start`.
 *
 * Invariant: only the current attempt counts. One that has timed out, or is under way when the task is stopped or
 * rewound, settles into nothing.
 */
export class AsyncCall<T, R> implements OpenScope {
  readonly #task: Task;
  /** How messages call the operator. */
  readonly #operator: string;
  readonly #spec: CallSpec<T, R>;
  readonly #value: T;
  readonly #outcome: CallOutcome<R>;
  #attempts = 0;
  #current: AbortController | undefined;
  #cancelTimer: () => void = () => undefined;
  #closed = false;

  constructor(task: Task, operator: string, spec: CallSpec<T, R>, value: T, outcome: CallOutcome<R>) {
    this.#task = task;
    this.#operator = operator;
    this.#spec = spec;
    this.#value = value;
    this.#outcome = outcome;
  }

  start(): void {
    this.#task.keepOpen(this);
    if (!this.#closed) this.#attempt();
  }

  /** Nobody waits for the result any more. */
  close(): void {
    this.#closed = true;
    this.#leave()?.abort(
      new RsError(
        'RS_CLOSED',
        `${this.#operator}: the run is being stopped, or the record will be processed anew`,
        { details: { operator: this.#operator } },
      ),
    );
  }

  #attempt(): void {
    const { fn, timeout } = this.#spec;
    const controller = new AbortController();
    const attempt = ++this.#attempts;
    this.#current = controller;
    if (timeout !== undefined) this.#startTimer(timeout, () => this.#timedOut(timeout));
    const context: AsyncCallContext = {
      attempt,
      // Made when it is asked for: a signal costs more than the rest of a call.
      get signal() {
        return controller.signal;
      },
    };
    // A promise of our own settles once and later, whatever the function returns or throws.
    new Promise<R>((resolve) => resolve(fn(this.#value, context))).then(
      (result) => this.#current === controller && this.#succeeded(result),
      (error: unknown) => this.#current === controller && this.#failed(error),
    );
  }

  #succeeded(result: R): void {
    this.#leave();
    const answer = () => {
      if (this.#closed) return;
      this.#task.release(this);
      this.#outcome.done(result);
    };
    const breath = this.#task.breath();
    if (breath === undefined) answer();
    else void breath.then(answer);
  }

  #timedOut(timeout: number): void {
    const { operator, attempt } = { operator: this.#operator, attempt: this.#attempts };
    const error = new RsError(
      'RS_ASYNC_TIMEOUT',
      `${operator}: a call took longer than its timeout of ${timeout} ms; raise it, or let such calls be retried`,
      { details: { operator, timeout, attempt } },
    );
    this.#leave()?.abort(error);
    if (!this.#closed) this.#failed(error); // What listens to the signal may have ended the run.
  }

  #failed(error: unknown): void {
    this.#leave();
    const { retry } = this.#spec;
    let failure = error;
    let again = false;
    try {
      again = this.#attempts < retry.attempts && this.#isWorthRetrying(error);
    } catch (thrown) {
      failure = this.#retryIfFailed(thrown, error);
    }
    if (this.#closed) return;
    if (again) {
      const delay = retryDelay(retry, this.#attempts, this.#task.options.random ?? systemRandom);
      this.#startTimer(delay, () => this.#attempt());
    } else {
      this.#task.release(this);
      this.#outcome.failed(failure);
    }
  }

  #isWorthRetrying(error: unknown): boolean {
    const answer = this.#spec.retry.retryIf(error);
    assertSync(`retryIf of ${this.#operator}`, answer);
    return answer;
  }

  /** Invariant: why the call has failed is not lost because the question about it has failed too. */
  #retryIfFailed(thrown: unknown, failure: unknown): RsError {
    const { code, message, details } = failureOf(
      'RS_USER_FUNCTION_FAILED',
      `retryIf of ${this.#operator}`,
      thrown,
    );
    return new RsError(code, `${message}; the call had failed with: ${errorReason(failure)}`, {
      cause: thrown,
      details: { ...details, operator: this.#operator, failure },
    });
  }

  #startTimer(delay: number, callback: () => void): void {
    this.#cancelTimer = longTimer(this.#task.options.scheduler, delay, callback);
  }

  /** Ends the current attempt, and returns what aborts it. */
  #leave(): AbortController | undefined {
    const current = this.#current;
    this.#current = undefined;
    this.#cancelTimer();
    return current;
  }
}

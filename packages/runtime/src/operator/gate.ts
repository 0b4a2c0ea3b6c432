import { type ErrorCode, RsError } from '@rs/core';
import { errorReason } from '../error-reason.ts';
import { Fifo } from '../fifo.ts';
import type { Receiver } from './receiver.ts';
import type { Task } from './task.ts';

export function isPromise(value: unknown): value is PromiseLike<unknown> {
  return (
    typeof value === 'object' && value !== null && typeof (value as { then?: unknown }).then === 'function'
  );
}

/** For a promise that is refused: its rejection, if there is one, belongs to the error that says so. */
export function silence(promise: PromiseLike<unknown>): void {
  promise.then(undefined, () => undefined);
}

/**
 * Lets an operator wait for a promise. While it waits, the operator's next items are held back here, in order, and the
 * driver sends no further records; so only what one record fans out to can pile up.
 *
 * Invariant: after each await the task may have been stopped, and then nothing of the operator goes on.
 */
export class Gate {
  busy = false;
  readonly task: Task;
  /** How messages call the operator, such as `map 'clean'`. */
  readonly operator: string;
  readonly #code: ErrorCode;
  readonly #held = new Fifo<() => void>();

  /** @param code of the errors that the operator's user function causes */
  constructor(task: Task, operator: string, code: ErrorCode = 'RS_USER_FUNCTION_FAILED') {
    this.task = task;
    this.operator = operator;
    this.#code = code;
    task.onRewind(() => {
      this.busy = false;
      this.#held.clear();
    });
  }

  /** Keeps an item back while the operator is busy. */
  hold(deliver: () => void): void {
    this.#held.push(deliver);
  }

  // Closures stand in methods of their own, here and in operators: a closure in a hot method would make every call
  // of it allocate the variables that the closure could see.

  holdRecord<T>(receiver: Receiver<T>, value: T, timestamp: number, key: unknown): void {
    this.hold(() => receiver.record(value, timestamp, key));
  }

  holdWatermark(receiver: Receiver<never>, timestamp: number): void {
    this.hold(() => receiver.watermark(timestamp));
  }

  holdStatus(receiver: Receiver<never>, idle: boolean): void {
    this.hold(() => receiver.status(idle));
  }

  holdEnd(receiver: Receiver<never>): void {
    this.hold(() => receiver.end());
  }

  /** Emits what the promise is fulfilled with. */
  emitSettled<R>(promise: PromiseLike<R>, out: Receiver<R>, timestamp: number, key: unknown): void {
    this.suspend(promise, (value) => out.record(value, timestamp, key));
  }

  /** Goes on with `resume` once the promise is fulfilled. */
  suspend<V>(promise: PromiseLike<V>, resume: (value: V) => void): void {
    const { task } = this;
    if (task.options.mode === 'sync') {
      silence(promise);
      throw this.failed(task.asyncRefused(this.operator));
    }
    this.busy = true;
    task.begin();
    const { generation } = task;
    promise.then(
      (value) => {
        if (generation === task.generation) this.#resume(() => resume(value));
      },
      (error: unknown) => {
        if (generation !== task.generation) return;
        this.failed(error);
        task.finish();
      },
    );
  }

  /** What follows a promise that `suspend` will wait for; skipped when the task was stopped or rewound meanwhile. */
  async continue<V>(
    promise: PromiseLike<V>,
    next: (value: V) => PromiseLike<void> | undefined | void,
  ): Promise<void> {
    const { generation } = this.task;
    const value = await promise;
    if (generation === this.task.generation && !this.task.stopped) await next(value);
  }

  /** Fails the task; returns the error to throw on for what a user function threw, which names the operator. */
  failed(error: unknown): unknown {
    const wrapped = error instanceof RsError ? this.#name(error) : this.#wrap(error);
    this.task.fail(wrapped);
    return wrapped;
  }

  /** An error of ours keeps its code; it is told where it happened unless it says so already. */
  #name(error: RsError): RsError {
    if ('operator' in error.details) return error;
    const named = error.message.startsWith(this.operator);
    return new RsError(error.code, named ? error.message : `${this.operator}: ${error.message}`, {
      cause: error,
      retriable: error.retriable,
      details: { ...error.details, operator: this.operator },
    });
  }

  #wrap(error: unknown): RsError {
    const reason = errorReason(error);
    return new RsError(this.#code, `${this.operator} failed: ${reason}`, {
      cause: error,
      details: { operator: this.operator },
    });
  }

  #resume(resume: () => void): void {
    try {
      if (!this.task.stopped) {
        this.busy = false;
        resume();
        this.#release();
      }
    } catch (error) {
      this.task.fail(error);
    }
    this.task.finish();
  }

  #release(): void {
    while (!this.busy && !this.task.stopped && this.#held.length > 0) this.#held.shift()?.();
  }
}

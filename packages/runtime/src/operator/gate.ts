import type { ErrorCode, RsError } from '@rs/core';
import { failureOf } from '../failure.ts';
import { silence } from '../promise.ts';
import { Fifo } from '../fifo.ts';
import type { Receiver } from './receiver.ts';
import type { ItemPlaces, Task } from './task.ts';

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
    const { places } = this.task;
    if (places === undefined) this.#held.push(deliver);
    else this.#held.push(inPlace(places, places.reserve(), deliver));
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
    const { generation, places } = task;
    const place = places?.suspend();
    const cause = places?.cause;
    const go = places === undefined ? resume : inPlace(places, place, resume);
    promise.then(
      (value) => {
        const proceed = () => {
          if (generation === task.generation) this.#resume(() => go(value));
        };
        const breath = task.breath();
        if (breath === undefined) proceed();
        else void breath.then(proceed);
      },
      (error: unknown) => {
        if (generation !== task.generation) return;
        places?.enter(place);
        if (places !== undefined) places.cause = cause;
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
  failed(error: unknown): RsError {
    const failure = failureOf(this.#code, this.operator, error);
    this.task.fail(failure);
    return failure;
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

/** What is done later for an item has the item's place in the order, whatever came in between. */
export function inPlace<A extends readonly unknown[]>(
  places: ItemPlaces,
  place: unknown,
  step: (...args: A) => void,
): (...args: A) => void {
  return (...args) => {
    places.enter(place);
    step(...args);
  };
}

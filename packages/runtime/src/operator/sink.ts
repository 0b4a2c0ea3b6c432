import { type MaybePromise, type StreamSink } from '@rs/core';
import type { Gate } from './gate.ts';
import { isPromise } from '../promise.ts';
import { NOWHERE, type Receiver } from './receiver.ts';

/** Name of the method of a {@link TimedSink}: none that a sink of a user could have by chance. */
export const INVOKE_AT = Symbol('invokeAt');

/** A sink of an engine that also wants to know the event time of its records. */
export interface TimedSink<T> extends StreamSink<T> {
  /** In place of `invoke`. */
  [INVOKE_AT](value: T, timestamp: number): MaybePromise<void>;
}

/** Name of the method of a {@link PlainSink}. */
export const PLAIN = Symbol('plain');

/** A sink that takes plain data in place of its values: for engines that store results before a sink gets them. */
export interface PlainSink<T> extends StreamSink<T> {
  /** What `invoke` makes the same of as of the value. */
  [PLAIN](value: T): unknown;
}

/** Hands records to a user's sink, one after the other. Opening and closing it is the driver's part. */
export class SinkOperator<T> implements Receiver<T> {
  readonly watermarkTarget = NOWHERE;
  readonly #gate: Gate;
  readonly #sink: StreamSink<T> & Partial<TimedSink<T>>;

  constructor(gate: Gate, sink: StreamSink<T> | TimedSink<T>) {
    this.#gate = gate;
    this.#sink = sink;
  }

  record(value: T, timestamp: number, key: unknown): void {
    if (this.#gate.busy) return this.#gate.holdRecord(this, value, timestamp, key);
    let result;
    try {
      const sink = this.#sink;
      result = (
        sink[INVOKE_AT] === undefined ? sink.invoke(value) : sink[INVOKE_AT](value, timestamp)
      ) as unknown;
    } catch (error) {
      throw this.#gate.failed(error);
    }
    if (isPromise(result)) this.#gate.suspend(result, () => undefined);
  }

  watermark(): void {
    // Sinks do not look at time.
  }

  status(): void {
    // Nor at idleness.
  }

  end(): void {
    // The driver closes them.
  }
}

import { type StreamSink } from '@rs/core';
import type { Gate } from './gate.ts';
import { isPromise } from '../promise.ts';
import { NOWHERE, type Receiver } from './receiver.ts';

/** Hands records to a user's sink, one after the other. Opening and closing it is the driver's part. */
export class SinkOperator<T> implements Receiver<T> {
  readonly watermarkTarget = NOWHERE;
  readonly #gate: Gate;
  readonly #sink: StreamSink<T>;

  constructor(gate: Gate, sink: StreamSink<T>) {
    this.#gate = gate;
    this.#sink = sink;
  }

  record(value: T, timestamp: number, key: unknown): void {
    if (this.#gate.busy) return this.#gate.holdRecord(this, value, timestamp, key);
    let result;
    try {
      result = this.#sink.invoke(value) as unknown;
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

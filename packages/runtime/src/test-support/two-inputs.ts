import type { DataStream } from '@rs/core';
import type { AnyReceiver } from '../operator/receiver.ts';
import { type AnyStream, JobRun, type JobRunOptions } from './job-run.ts';

/** A job of two sources, fed by hand. */
export class TwoInputRun<A, B> extends JobRun<A> {
  /** The heads of the two sources. */
  readonly left: AnyReceiver;
  readonly right: AnyReceiver;

  constructor(
    define: (left: DataStream<A>, right: DataStream<B>) => AnyStream | Readonly<Record<string, AnyStream>>,
    options?: JobRunOptions,
  ) {
    super((left, env) => define(left, env.input<B>('right')), options);
    this.left = this.input(0);
    this.right = this.input(1);
  }

  /** Sends a record to the first source. */
  one(value: A, timestamp: number): this {
    this.left.record(value, timestamp, undefined);
    return this;
  }

  /** Sends a record to the second source. */
  two(value: B, timestamp: number): this {
    this.right.record(value, timestamp, undefined);
    return this;
  }

  /** What was sent since the last call. */
  trace(): string[] {
    return this.output().trace.splice(0);
  }
}

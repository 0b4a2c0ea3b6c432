import type { MaybePromise, SourceContext, StreamSource } from '@rs/core';
import { Deferred } from './deferred.ts';

/** A source that the test feeds while the job runs. */
export class LiveSource<T> implements StreamSource<T> {
  readonly #ended = new Deferred();
  #ctx: SourceContext<T> | undefined;

  run(ctx: SourceContext<T>): Promise<void> {
    this.#ctx = ctx;
    return this.#ended.promise;
  }

  /** What the running source sees. */
  get ctx(): SourceContext<T> {
    if (this.#ctx === undefined) throw new Error('the source is not running yet; call settle() first');
    return this.#ctx;
  }

  send(value: T, timestamp?: number): MaybePromise<void> {
    return timestamp === undefined
      ? this.ctx.collect(value)
      : this.ctx.collectWithTimestamp(value, timestamp);
  }

  end(): void {
    this.#ended.resolve();
  }

  fail(error: unknown): void {
    this.#ended.reject(error);
  }
}

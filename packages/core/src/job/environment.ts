import type { StreamSource } from '../io/source.ts';
import type { DataStream } from '../stream/data-stream.ts';

/** Where a job's streams begin. Engines implement it; libraries and job definitions see only this. */
export interface StreamEnvironment {
  /** Records with the timestamps 0, 1, 2, …; the arguments are copied. */
  fromElements<T>(...elements: readonly T[]): DataStream<T>;
  /** As `fromElements`, from any iterable; it is iterated anew for each run. */
  fromCollection<T>(elements: Iterable<T>): DataStream<T>;
  addSource<T>(source: StreamSource<T>, options?: SourceOptions): DataStream<T>;
  /** Records of an async iterable (a Node `Readable` is one), with the timestamps 0, 1, 2, … */
  fromAsyncIterable<T>(iterable: AsyncIterable<T>, options?: SourceOptions): DataStream<T>;
}

export interface SourceOptions {
  /** Name shown in graphs and messages. */
  readonly name?: string;
}

import type { StreamSource } from '../io/source.ts';
import type { DataStream } from '../stream/data-stream.ts';

/**
 * Where a job's streams begin. Engines implement it; libraries and job definitions see only this.
 *
 * Declaring a source reads nothing. It is read when a pipeline that begins with it runs; sources fail a run with
 * `RS_SOURCE_FAILED`.
 */
export interface StreamEnvironment {
  /** Records with the timestamps 0, 1, 2, …; the arguments are copied. */
  fromElements<T>(...elements: readonly T[]): DataStream<T>;
  /**
   * As `fromElements`, from any iterable. An array is copied; everything else is iterated anew for each run, so that an
   * iterator or generator object, which can be read only once, serves one run.
   *
   * @throws RsError at declaration: `RS_INVALID_ARGUMENT` when it is not iterable. At run: `RS_SOURCE_FAILED` when
   *   iterating throws, or a second run wants an iterator that has been read
   */
  fromCollection<T>(elements: Iterable<T>): DataStream<T>;
  /**
   * Records of a source of your own, with the timestamps the source gives them: a counter from 0 with `collect`, event
   * times with `collectWithTimestamp`. The object is opened, run and closed once per run.
   *
   * @throws RsError at declaration: `RS_INVALID_ARGUMENT` when it has no `run`. At run: `RS_SOURCE_FAILED` when `open`
   *   or `run` throws, `RS_BACKPRESSURE_IGNORED` when it keeps emitting without awaiting, `RS_INVALID_TIMESTAMP`
   */
  addSource<T>(source: StreamSource<T>, options?: SourceOptions): DataStream<T>;
  /**
   * Records of an async iterable (a Node `Readable` is one), with the timestamps 0, 1, 2, … One record is asked for at a
   * time, and none while the pipeline is behind. Iterated anew for each run, as in `fromCollection`. A pipeline that
   * reads it is asynchronous, so an eager environment leaves it to `executeAsync`.
   *
   * @throws RsError at declaration: `RS_INVALID_ARGUMENT` when it is not async iterable. At run: `RS_SOURCE_FAILED`
   */
  fromAsyncIterable<T>(iterable: AsyncIterable<T>, options?: SourceOptions): DataStream<T>;
}

export interface SourceOptions {
  /** Name shown in graphs and messages. Default: `source`, or `async iterable` for `fromAsyncIterable`. */
  readonly name?: string;
}

import type { FilterFunction, FlatMapFunction, KeySelector, MapFunction } from '../function/functions.ts';
import type { StreamSink } from '../io/sink.ts';
import type { MaybePromise } from '../maybe-promise.ts';
import type { OutputTag } from '../output-tag.ts';
import type {
  TimestampAssigner,
  TimestampsAndWatermarks,
  WatermarkGenerator,
} from '../watermark/generator.ts';
import type { KeyedStream } from './keyed-stream.ts';
import type { OperatorOptions, StatefulOptions } from './options.ts';

/**
 * A stream of records, each with an event time. Immutable: every method returns a new stream, and two chains
 * off one stream both get all of its records.
 *
 * Declaring a stream runs nothing. Every method throws `RS_INVALID_ARGUMENT` at declaration for an argument that is not
 * what its type says, and `RS_INVALID_NAME` for a bad `uid`; a `uid` used twice is `RS_DUPLICATE_UID` when the job is
 * built. A user function that throws or rejects fails the run with `RS_USER_FUNCTION_FAILED`; an `RsError` that it
 * throws keeps its code. A function may return a promise unless its type says otherwise; records wait for it in their
 * order, and an eager run, which cannot wait, fails with `RS_ASYNC_IN_EAGER_RUN`.
 *
 * Iterating a stream runs it at once; only the memory engine can, others throw `RS_UNSUPPORTED`.
 */
export interface DataStream<T> extends Iterable<T> {
  /**
   * One result per record; keeps the timestamp.
   *
   * @throws RsError at declaration: `RS_INVALID_ARGUMENT`. At run: `RS_USER_FUNCTION_FAILED`, `RS_ASYNC_IN_EAGER_RUN`
   */
  map<R>(fn: MapFunction<T, R>, options?: OperatorOptions): DataStream<R>;
  /**
   * Keeps the records for which the predicate is true; it is evaluated once per record.
   *
   * @throws RsError at declaration: `RS_INVALID_ARGUMENT`. At run: `RS_USER_FUNCTION_FAILED`, `RS_ASYNC_IN_EAGER_RUN`
   */
  filter<S extends T>(predicate: (value: T) => value is S, options?: OperatorOptions): DataStream<S>;
  filter(predicate: FilterFunction<T>, options?: OperatorOptions): DataStream<T>;
  /**
   * Any number of results per record; each keeps the timestamp. `null` and `undefined` count as none.
   *
   * @throws RsError at declaration: `RS_INVALID_ARGUMENT`. At run: `RS_USER_FUNCTION_FAILED`, `RS_ASYNC_IN_EAGER_RUN`
   */
  flatMap<R>(fn: FlatMapFunction<T, R>, options?: OperatorOptions): DataStream<R>;
  /**
   * Groups records by key. Right on any number of partitions. The keyed state declared on the result belongs to this
   * operation, and so does its identity: give it a `uid`.
   *
   * @throws RsError at declaration: `RS_INVALID_ARGUMENT`, `RS_INVALID_NAME`. At run: `RS_INVALID_KEY` for a key that
   *   cannot be compared by value (a promise is one), `RS_USER_FUNCTION_FAILED`
   */
  keyBy<K>(selector: KeySelector<T, K>, options?: StatefulOptions): KeyedStream<K, T>;
  /**
   * All records of all streams. The watermark is the minimum over the inputs that are not idle, and is kept in
   * checkpoints; the form with an array takes options, such as the `uid` it is kept under.
   *
   * @throws RsError at declaration: `RS_INVALID_ARGUMENT` when a stream comes from another environment,
   *   `RS_INVALID_NAME`
   */
  union(...others: readonly DataStream<T>[]): DataStream<T>;
  union(others: readonly DataStream<T>[], options?: StatefulOptions): DataStream<T>;
  /**
   * Gives records event times and the stream watermarks, which replace those from before. Three forms: a strategy (a
   * `WatermarkStrategy` of @rs/watermark); a generator, for records that keep their timestamps; an assigner with a
   * generator. Without this operation records keep the timestamps of their source and the watermark only moves to the
   * end of time when the input has ended.
   *
   * A generator without `fresh()` serves one partition of one run; a factory or a strategy serves any number.
   *
   * @throws RsError at declaration: `RS_INVALID_ARGUMENT`, `RS_INVALID_NAME`. At run: `RS_INVALID_TIMESTAMP` for a
   *   record whose time is not an integer in range, `RS_GENERATOR_REUSED`, `RS_USER_FUNCTION_FAILED`
   */
  assignTimestampsAndWatermarks(
    strategy: TimestampsAndWatermarks<T>,
    options?: StatefulOptions,
  ): DataStream<T>;
  assignTimestampsAndWatermarks(
    generator: WatermarkGenerator<T> | (() => WatermarkGenerator<T>),
    options?: StatefulOptions,
  ): DataStream<T>;
  assignTimestampsAndWatermarks(
    assigner: TimestampAssigner<T>,
    generator: WatermarkGenerator<T> | (() => WatermarkGenerator<T>),
    options?: StatefulOptions,
  ): DataStream<T>;
  /**
   * The records that the operation which made this stream sent to `tag`: with `ctx.output` in `process`, or as late
   * data of windows. Ask the stream which that operation returned, not one behind it.
   *
   * @throws RsError at declaration: `RS_INVALID_ARGUMENT` when the operation can send nothing to `tag`: it is neither
   *   `process` nor a window operation, or it is a window operation other than `process` and `tag` is not the one given
   *   to its `sideOutputLateData`
   */
  getSideOutput<X>(tag: OutputTag<X>): DataStream<X>;
  /**
   * Attaches a sink and returns the same stream, so that several can be attached.
   *
   * An eager environment (the memory engine's default) runs the pipeline up to this sink **now**, before `addSink`
   * returns, if its sources are synchronous, and again from the start for each further sink. Everywhere else the sink is
   * kept and runs with the job.
   *
   * @throws RsError at declaration: `RS_INVALID_ARGUMENT`, `RS_INVALID_NAME`, `RS_ALREADY_EXECUTED` when the
   *   environment's sinks have run. At run, which in an eager environment is this call: `RS_SINK_FAILED` when the sink
   *   throws, and whatever fails before it
   */
  addSink(sink: StreamSink<T> | ((value: T) => MaybePromise<void>), options?: StatefulOptions): DataStream<T>;
  /**
   * A sink that writes `prefix` (default: nothing) and the value to the engine's logger at info: strings as they are,
   * everything else as Node's console shows it. Runs when {@link addSink} would.
   *
   * @throws RsError as `addSink`
   */
  print(prefix?: string | null): DataStream<T>;
}

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
 * Iterating a stream runs it at once; only the memory engine can, others throw `RS_UNSUPPORTED`.
 */
export interface DataStream<T> extends Iterable<T> {
  /** One result per record; keeps the timestamp. */
  map<R>(fn: MapFunction<T, R>, options?: OperatorOptions): DataStream<R>;
  /** Keeps the records for which the predicate is true; it is evaluated once per record. */
  filter<S extends T>(predicate: (value: T) => value is S, options?: OperatorOptions): DataStream<S>;
  filter(predicate: FilterFunction<T>, options?: OperatorOptions): DataStream<T>;
  /** Any number of results per record; each keeps the timestamp. */
  flatMap<R>(fn: FlatMapFunction<T, R>, options?: OperatorOptions): DataStream<R>;
  /** Groups records by key. Right on any number of partitions. */
  keyBy<K>(selector: KeySelector<T, K>, options?: StatefulOptions): KeyedStream<K, T>;
  /** All records of all streams. The watermark is the minimum over the inputs that are not idle. */
  union(...others: readonly DataStream<T>[]): DataStream<T>;
  /** Gives records event times and the stream watermarks. Bad timestamps fail the record with `RS_INVALID_TIMESTAMP`. */
  assignTimestampsAndWatermarks(strategy: TimestampsAndWatermarks<T>): DataStream<T>;
  assignTimestampsAndWatermarks(
    generator: WatermarkGenerator<T> | (() => WatermarkGenerator<T>),
  ): DataStream<T>;
  assignTimestampsAndWatermarks(
    assigner: TimestampAssigner<T>,
    generator: WatermarkGenerator<T> | (() => WatermarkGenerator<T>),
  ): DataStream<T>;
  /** The records that the operator which made this stream sent to `tag`. */
  getSideOutput<X>(tag: OutputTag<X>): DataStream<X>;
  /** Attaches a sink and returns the same stream, so that several can be attached. */
  addSink(sink: StreamSink<T> | ((value: T) => MaybePromise<void>), options?: StatefulOptions): DataStream<T>;
  /** A sink that writes `prefix` and the value to the engine's logger at info. */
  print(prefix?: string | null): DataStream<T>;
}

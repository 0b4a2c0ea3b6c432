import type { AsyncMapFunction, MapAsyncOptions } from '../function/async.ts';
import type { FilterFunction, FlatMapFunction, KeySelector, MapFunction } from '../function/functions.ts';
import type { CheckpointAwareSink, TwoPhaseCommitSink } from '../io/sink.ts';
import type { MaybePromise } from '../maybe-promise.ts';
import type { OutputTag } from '../output-tag.ts';
import type { MapStateDescriptor } from '../state/descriptor.ts';
import type {
  TimestampAssigner,
  TimestampsAndWatermarks,
  WatermarkGenerator,
} from '../watermark/generator.ts';
import type { BroadcastConnectedStreams, BroadcastStream } from './broadcast-stream.ts';
import type { ConnectedStreams } from './connected-streams.ts';
import type { KeyedStream } from './keyed-stream.ts';
import type { KeyByOptions, OperatorOptions, StatefulOptions } from './options.ts';

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
   * One result per record, from a function that asks something outside and takes its time; keeps the timestamp. Unlike
   * `map`, it works on up to `concurrency` records at once, gives up calls that take too long, and can retry. Needs a run
   * that can wait, also for a function that returns no promise.
   *
   * Everything that came before a watermark leaves before it, and everything after it leaves after it, so event time
   * behind this operation is what it would be behind `map`.
   *
   * @throws RsError at declaration: `RS_INVALID_ARGUMENT`, `RS_INVALID_DURATION`. At run, once the attempts are used up:
   *   `RS_USER_FUNCTION_FAILED`, `RS_ASYNC_TIMEOUT`; `RS_ASYNC_NOT_ALLOWED` when `retryIf` returns a promise,
   *   `RS_ASYNC_IN_EAGER_RUN`
   */
  mapAsync<R>(fn: AsyncMapFunction<T, R>, options?: MapAsyncOptions): DataStream<R>;
  /**
   * Groups records by key. Right on any number of partitions: each record is sent to the partition of its key, unless there
   * is one partition only, or `colocated` says that it is there already. The keyed state declared on the result belongs to
   * this operation, and so does its identity: give it a `uid`.
   *
   * With `colocated: true` the key must decide on the partition, which for a record of a topic is
   * `partitionOf(message.key, partitions)`; for a key that is no string, its text takes that place. A record whose key
   * belongs to another partition fails the run, since the state of its key is there.
   *
   * @throws RsError at declaration: `RS_INVALID_ARGUMENT`, `RS_INVALID_NAME`. At run: `RS_INVALID_KEY` for a key that
   *   cannot be compared by value (a promise is one), `RS_NOT_COLOCATED`, `RS_USER_FUNCTION_FAILED`
   */
  keyBy<K>(selector: KeySelector<T, K>, options?: KeyByOptions): KeyedStream<K, T>;
  /**
   * Groups records by the key that their message was sent with. The topic has the messages of each key in one partition,
   * so no record is sent to another. What makes one record of another keeps the key: it may come after `map`, `filter`,
   * `flatMap`, `mapAsync`, `assignTimestampsAndWatermarks` and `union` of streams from topics with equal numbers of
   * partitions; behind everything else use `keyBy`.
   *
   * @throws RsError at declaration: `RS_INVALID_ARGUMENT` when the stream does not come from topics in this way,
   *   `RS_INVALID_NAME`. When the run starts: `RS_NOT_COPARTITIONED` when it comes from topics that differ in their number
   *   of partitions. At run: `RS_INVALID_KEY` for a message without a key, `RS_NOT_COLOCATED` for one that was sent to
   *   another partition than that of its key
   */
  keyByMessageKey(options?: StatefulOptions): KeyedStream<string, T>;
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
   * This stream and another one, of any type, for an operation that processes the records of both: another stream without
   * keys, or a broadcast one. Where records of the two belong together, give both a key and connect those.
   *
   * @throws RsError at declaration: `RS_INVALID_ARGUMENT` for a stream with keys, one of another environment, and what is no
   *   stream
   */
  connect<B>(other: DataStream<B>): ConnectedStreams<T, B>;
  connect<B>(other: BroadcastStream<B>): BroadcastConnectedStreams<T, B>;
  /**
   * Sends every record to all partitions of the stream that is connected to the result, where functions may keep it in
   * states that all keys see: rules, settings, a table of prices. `descriptors` are these states; the form with an array
   * takes options, such as a `uid`.
   *
   * ```ts
   * const rules = mapState<string, Rule>('rules');
   * payments.keyBy((payment) => payment.account).connect(ruleStream.broadcast(rules)).process({ … });
   * ```
   *
   * @throws RsError at declaration: `RS_INVALID_ARGUMENT` for what is no descriptor made by `mapState`, and for two with one
   *   name; `RS_INVALID_NAME`
   */
  broadcast(...descriptors: readonly MapStateDescriptor<unknown, unknown>[]): BroadcastStream<T>;
  broadcast(
    descriptors: readonly MapStateDescriptor<unknown, unknown>[],
    options?: StatefulOptions,
  ): BroadcastStream<T>;
  /**
   * Gives records event times and the stream watermarks, which replace those from before. Three forms: a strategy (a
   * `WatermarkStrategy` of @rs/watermark); a generator, for records that keep their timestamps; an assigner with a
   * generator. Without this operation records keep the timestamps of their source and the watermark only moves to the
   * end of time when the input has ended; topics have watermarks of their own, see `fromMqTopic`.
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
   * Attaches a sink and returns the same stream, so that several can be attached: a function that is called with each record,
   * a `StreamSink`, which may be a `CheckpointAwareSink`, or a `TwoPhaseCommitSink`, whose results become visible per
   * transaction: with each completed checkpoint, or at the end of a run that takes none. Give that one a `uid`: the
   * transactions that a checkpoint holds are found by it.
   *
   * An eager environment (the memory engine's default) runs the pipeline up to this sink **now**, before `addSink`
   * returns, if its sources are synchronous, and again from the start for each further sink. Everywhere else the sink is
   * kept and runs with the job.
   *
   * @throws RsError at declaration: `RS_INVALID_ARGUMENT`, `RS_INVALID_NAME`, `RS_ALREADY_EXECUTED` when the
   *   environment's sinks have run. At run, which in an eager environment is this call: `RS_SINK_FAILED` when the sink
   *   throws or its last transaction cannot be committed, and whatever fails before it
   */
  addSink(
    // Without beginTxn, so that the types of a TwoPhaseCommitSink that is written in place are found in the other form.
    sink: (CheckpointAwareSink<T> & { readonly beginTxn?: never }) | ((value: T) => MaybePromise<void>),
    options?: StatefulOptions,
  ): DataStream<T>;
  addSink<Txn>(sink: TwoPhaseCommitSink<T, Txn>, options?: StatefulOptions): DataStream<T>;
  /**
   * A sink that writes `prefix` (default: nothing) and the value to the engine's logger at info: strings as they are,
   * everything else as Node's console shows it. Runs when {@link addSink} would.
   *
   * @throws RsError as `addSink`
   */
  print(prefix?: string | null): DataStream<T>;
}

import type { StreamSource } from '../io/source.ts';
import type { DataStream } from '../stream/data-stream.ts';
import type { Message } from '../topic/message.ts';
import type { SubscriptionOptions } from '../topic/subscription-options.ts';
import type { Topic } from '../topic/topic.ts';

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
  /**
   * Messages of a topic: those of a partition in their order, those of different partitions in any. Without `until` the
   * stream never ends.
   *
   * A record's timestamp is that of its message. Each partition has its own watermark: the largest message time seen −
   * the environment's out-of-orderness − 1, so that a partition that is ahead makes no record of another one late. Put
   * another strategy in its place with `assignTimestampsAndWatermarks`.
   *
   * @param topic must exist when the job runs
   * @param group names the subscription, `[A-Za-z0-9._-]{1,128}`: an engine that keeps positions goes on where the group
   *   has stopped. A job reads a topic once per group, so two subscriptions with both in common are refused: use the one
   *   stream twice instead
   * @throws RsError at declaration: `RS_INVALID_NAME`, `RS_INVALID_ARGUMENT` for options that are none,
   *   `RS_DUPLICATE_SUBSCRIPTION`. When the run starts: `RS_UNKNOWN_TOPIC`, `RS_INVALID_ARGUMENT` when `until` names a
   *   partition that the topic does not have
   */
  fromMqTopic(topic: string, group: string, options?: SubscriptionOptions): DataStream<Message<unknown>>;
  /**
   * As {@link fromMqTopic}, with a stable identity of the source: its `uid`, under which an engine keeps its position and
   * its watermark. Without one the identity comes from the place in the graph, so that a change of the job loses it.
   *
   * @param id unique in the environment and among the job's uids. The watermark is kept under `<id>.time`
   * @throws RsError as `fromMqTopic`, and `RS_DUPLICATE_UID` at declaration for the id of another source of the environment
   */
  fromMqTopicWithId(
    id: string,
    topic: string,
    group: string,
    options?: SubscriptionOptions,
  ): DataStream<Message<unknown>>;
  /**
   * The values of a topic's messages, otherwise as {@link fromMqTopic}. Where the topic has a schema, each value is what
   * the schema makes of what was sent; a schema that answers with a promise needs a run that can wait, as an asynchronous
   * function does.
   *
   * @throws RsError as `fromMqTopic`. At run: `RS_INVALID_VALUE` for a value that the schema refuses, with the topic,
   *   partition and id of its message and the schema's issues; `RS_USER_FUNCTION_FAILED` when the schema throws
   */
  fromTopic<T>(topic: Topic<T, unknown>, group: string, options?: SubscriptionOptions): DataStream<T>;
}

export interface SourceOptions {
  /** Name shown in graphs and messages. Default: `source`, or `async iterable` for `fromAsyncIterable`. */
  readonly name?: string;
  /**
   * Stable identity of the source, `[A-Za-z0-9._-]{1,128}`, unique in the job: a checkpoint holds its position under it.
   * Without it the identity comes from the place in the graph, so that a change of the job loses the position.
   */
  readonly uid?: string;
}

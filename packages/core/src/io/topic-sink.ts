import { checkObject } from '../check-object.ts';
import { RsError } from '../errors/rs-error.ts';
import { checkName } from '../names.ts';
import { topic as topicOf, type Topic } from '../topic/topic.ts';
import type { StreamSink } from './sink.ts';

export interface TopicSinkOptions<T> {
  /** The key of a result's message; equal keys share a partition and keep their order. Default: none, messages are spread. */
  readonly key?: (value: T) => string | undefined;
  /** Event time of the message in epoch milliseconds. Default: that of the result; where it has none, the time of writing. */
  readonly timestamp?: (value: T) => number;
  /**
   * Writes the values, where the engine stores them as bytes: a codec of `@rs/mq`, one of your own has to be among the engine's
   * `codecs` too. Readers take the codec that a message names. Default: the engine's, JSON.
   */
  readonly codec?: { readonly name: string };
}

/** A sink that sends its results to a topic. A declaration: what it does is the engine's part. Made by {@link toTopic}. */
export interface TopicSink<T> extends StreamSink<T> {
  readonly topic: Topic<unknown, T>;
  readonly options: TopicSinkOptions<T>;
}

const OPTIONS: readonly string[] = ['key', 'timestamp', 'codec'];

// Shared by all copies of this package, as the brand of errors is.
const BRAND = Symbol.for('rs.topicSink');

/**
 * Sends the results of a stream to a topic, from where other jobs and consumers read them. The topic must exist when the job runs. How
 * safe that is depends on the engine: the Redis engine appends each result exactly once, those of one partition in their order.
 *
 * @param topic given a {@link Topic} with a schema that answers synchronously, a result that it refuses fails its record; other
 *   values are checked by those who read them
 * @example orders.addSink(toTopic(spend, { key: (total) => total.customer }));
 * @throws RsError `RS_INVALID_NAME`, `RS_INVALID_ARGUMENT`. At run: `RS_UNKNOWN_TOPIC`; for a result `RS_INVALID_VALUE`,
 *   `RS_INVALID_KEY`, `RS_INVALID_TIMESTAMP`
 */
export function toTopic<T>(topic: Topic<unknown, T>, options?: TopicSinkOptions<T>): TopicSink<T>;
export function toTopic<T>(topic: string, options?: TopicSinkOptions<T>): TopicSink<T>;
export function toTopic<T>(
  topic: string | Topic<unknown, T>,
  options: TopicSinkOptions<T> = {},
): TopicSink<T> {
  const target = typeof topic === 'string' ? (topicOf(topic) as Topic<unknown, T>) : topic;
  const name = checkName(
    (target as Partial<typeof target> | null | undefined)?.name as string,
    'toTopic: a topic',
  );
  const where = `toTopic '${name}'`;
  checkObject(options, `${where}: options`);
  for (const [option, received] of Object.entries(options)) {
    if (received === undefined || OPTIONS.includes(option)) continue;
    throw refused(`${where}: there is no option '${option}'; there are ${OPTIONS.join(', ')}`, received);
  }
  for (const option of ['key', 'timestamp'] as const) {
    const received: unknown = options[option];
    if (received === undefined || typeof received === 'function') continue;
    throw refused(`${where}: ${option} must be a function of the value`, received);
  }
  const { codec } = options as { readonly codec?: { readonly name?: unknown } | null };
  if (codec !== undefined && typeof codec?.name !== 'string') {
    throw refused(`${where}: codec must be a codec with a name, such as jsonCodec() of @rs/mq`, codec);
  }
  const sink: TopicSink<T> = {
    topic: target,
    options: Object.freeze({ ...options }),
    invoke: () => {
      throw new RsError('RS_UNSUPPORTED', `${where}: this engine cannot send to topics`, {
        details: { topic: name },
      });
    },
  };
  return Object.freeze(Object.defineProperty(sink, BRAND, { value: true }));
}

/** True for what {@link toTopic} has made, also that of another copy of this package. For engines. */
export function isTopicSink(sink: unknown): sink is TopicSink<unknown> {
  return typeof sink === 'object' && sink !== null && BRAND in sink;
}

function refused(message: string, received: unknown): RsError {
  return new RsError('RS_INVALID_ARGUMENT', message, { details: { received } });
}

import { checkTimestamp, partitionOf, RsError, type Topic, type TopicSinkOptions } from '@rs/core';
import { type Codecs, type Envelope, encodeEnvelope } from '@rs/mq';
import { failureOf, isPromise, type OutputRecord, refusedValue } from '@rs/runtime';
import type { CommitOp } from '../store/commit-op.ts';
import { outId } from './out-position.ts';
import type { TaskSink } from './task-sink.ts';

export interface TopicTaskSinkOptions {
  /** How messages call the sink. */
  readonly label: string;
  /** Of the out log. */
  readonly key: string;
  readonly topic: Topic<unknown, unknown>;
  readonly options: TopicSinkOptions<unknown>;
  readonly codecs: Codecs;
  /** How many the topic has now. */
  readonly partitions: () => number;
}

/** A message that waits for its commit. */
interface Draft {
  readonly key: string | undefined;
  /** `undefined`: that of the result. */
  readonly timestamp: number | undefined;
  readonly envelope: Envelope;
}

const DEFAULT_CODEC = 'json';

/**
 * Writes results into an out log as messages of a topic, from where they are appended to its partitions once they are committed.
 *
 * | field | content |
 * |---|---|
 * | `p` | number of the partition that it goes to |
 * | `m` `k` `h` `d` | the message, as it will lie in the topic |
 *
 * The partition is decided here, once: an entry that is delivered again goes where it went before, although the topic has grown.
 */
export class TopicTaskSink implements TaskSink {
  readonly #options: TopicTaskSinkOptions;

  constructor(options: TopicTaskSinkOptions) {
    this.#options = options;
  }

  /**
   * @throws RsError `RS_INVALID_VALUE` for what the codec or the schema of the topic refuses, `RS_INVALID_KEY`, `RS_INVALID_TIMESTAMP`;
   *   `RS_SINK_FAILED` for what a function of the user throws
   */
  transfer(value: unknown): Draft {
    const { label, topic, options, codecs } = this.#options;
    try {
      const key = options.key?.(value);
      if (key !== undefined && typeof key !== 'string') {
        throw new RsError('RS_INVALID_KEY', `the key of a message must be a string, got ${typeof key}`, {
          details: { topic: topic.name, received: key },
        });
      }
      const timestamp =
        options.timestamp === undefined ? undefined : checkTimestamp(options.timestamp(value), 'timestamp');
      checkValue(topic, value);
      const codec = codecs.get(options.codec?.name ?? DEFAULT_CODEC);
      if (codec === undefined) throw unknownCodec(options.codec?.name ?? DEFAULT_CODEC);
      const envelope = encodeEnvelope({ key, value, headers: undefined, timestamp: undefined }, codec);
      return { key, timestamp, envelope };
    } catch (error) {
      throw failureOf('RS_SINK_FAILED', label, error);
    }
  }

  ops(outputs: readonly OutputRecord[], seq: number): readonly CommitOp[] {
    const { key: out, partitions } = this.#options;
    const count = partitions();
    const entries = outputs.map((output, ordinal) => {
      const { key, timestamp, envelope } = output.value as Draft;
      // Without a key they take turns, by nothing but their place: the same commit made again is the same.
      const partition = key === undefined ? (seq + ordinal) % count : partitionOf(key, count);
      const { m, k, h, d } = envelope;
      const time = timestamp ?? timeOf(output);
      return {
        id: outId(seq, ordinal),
        fields: ['p', partition, 'm', `${String(m)}${time}`, 'k', k, 'h', h, 'd', d],
      };
    });
    return [{ type: 'xadd', key: out, entries }];
  }
}

/** @throws RsError `RS_INVALID_ARGUMENT` when readers could not find the codec by its name */
export function checkSinkCodec(options: TopicSinkOptions<unknown>, codecs: Codecs, label: string): void {
  const { codec } = options;
  if (codec === undefined || codecs.has(codec.name)) return;
  throw new RsError('RS_INVALID_ARGUMENT', `${label}: ${unknownCodec(codec.name).message}`, {
    details: { codec: codec.name },
  });
}

function unknownCodec(name: string): RsError {
  return new RsError(
    'RS_INVALID_ARGUMENT',
    `its codec '${name}' is not known here; give it to RedisStreamExecutionEnvironment.create(redis, { codecs }) too`,
    { details: { codec: name } },
  );
}

/** What the field `m` of an envelope ends with: the event time; nothing stands for the time of writing. */
function timeOf({ timestamp }: OutputRecord): number | '' {
  return Number.isSafeInteger(timestamp) ? timestamp : '';
}

/** A schema that answers with a promise cannot keep a record waiting; those who read will ask it. */
function checkValue({ name, value: schema }: Topic<unknown, unknown>, value: unknown): void {
  if (schema === undefined) return;
  let result;
  try {
    result = schema['~standard'].validate(value);
  } catch (error) {
    throw failureOf('RS_USER_FUNCTION_FAILED', `the schema of topic '${name}'`, error);
  }
  if (isPromise(result)) result.then(undefined, () => undefined);
  else if (result.issues !== undefined)
    throw refusedValue(`a result for topic '${name}'`, result.issues, { topic: name });
}

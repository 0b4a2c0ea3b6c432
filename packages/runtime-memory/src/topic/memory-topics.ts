import {
  checkName,
  checkObject,
  checkTimestamp,
  type Clock,
  type Message,
  RsError,
  systemClock,
  type Topic,
} from '@rs/core';
import { checkMethods, failureOf, isPromise, refusedValue } from '@rs/runtime';
import { checkMessage, type NewMessage } from './new-message.ts';
import { TopicLog } from './topic-log.ts';

export interface MemoryTopicsOptions {
  /** Gives messages without a timestamp theirs. Default: the machine's clock. */
  readonly clock?: Clock;
}

/** A job has a task for each partition, and looks at all of them; more is nearly always a mistake. */
const MAX_PARTITIONS = 4096;

const NO_HEADERS = Object.freeze({});

/** For the engine: what stands behind a topic's name. */
export let logOf: (topics: MemoryTopics, topic: string) => TopicLog;

/**
 * Partitioned topics in memory, for the sources `fromMqTopic` and `fromTopic`. Nothing is ever removed, and a value is kept
 * as it is given, without a copy: what changes it later changes the message.
 */
export class MemoryTopics {
  readonly #clock: Clock;
  readonly #logs = new Map<string, TopicLog>();

  static {
    logOf = (topics, topic) => topics.#log(topic);
  }

  /** @throws RsError `RS_INVALID_ARGUMENT` for options that are no object and a clock that is none */
  constructor(options: MemoryTopicsOptions = {}) {
    checkObject(options, 'MemoryTopics: options');
    const { clock = systemClock } = options;
    checkMethods(clock, ['now'], 'MemoryTopics', 'a clock');
    this.#clock = clock;
  }

  /**
   * Creates a topic. Does nothing for one that exists with as many partitions.
   *
   * @param options.partitions an integer from 1 to 4096; fixed from then on, since it decides on the partition of each key
   * @throws RsError `RS_INVALID_NAME`; `RS_INVALID_ARGUMENT` for a number of partitions that is none, and for another one than
   *   an existing topic has
   */
  create(topic: string | Topic<unknown, unknown>, options: { readonly partitions: number }): void {
    const name = checkName(nameOf(topic), 'a topic');
    const partitions: unknown = (options as typeof options | undefined)?.partitions;
    if (typeof partitions !== 'number' || !Number.isSafeInteger(partitions) || partitions < 1) {
      throw refused(
        `topic '${name}' needs a number of partitions, an integer of at least 1`,
        name,
        partitions,
      );
    }
    if (partitions > MAX_PARTITIONS) {
      throw refused(
        `topic '${name}' may have at most ${MAX_PARTITIONS} partitions, since a job that reads it has a task for each`,
        name,
        partitions,
      );
    }
    const existing = this.#logs.get(name)?.partitions.length ?? partitions;
    if (existing !== partitions) {
      throw refused(
        `topic '${name}' has ${existing} partitions and cannot get ${partitions}: keys would change their partition`,
        name,
        partitions,
      );
    }
    if (!this.#logs.has(name)) this.#logs.set(name, new TopicLog(name, partitions));
  }

  /**
   * Appends a message to a partition of a topic, where running jobs see it at once. Given a {@link Topic} with a schema
   * that answers synchronously, a value that it refuses is not stored; other values are checked by the jobs that read them.
   *
   * @returns the message as it was stored
   * @throws RsError `RS_UNKNOWN_TOPIC`, `RS_INVALID_VALUE` for a value that the schema refuses, `RS_INVALID_KEY` for a key
   *   that is no string, `RS_INVALID_TIMESTAMP`, `RS_INVALID_ARGUMENT` for a partition that the topic does not have and for
   *   headers that are no strings, `RS_USER_FUNCTION_FAILED` when the schema throws
   */
  send<V>(topic: Topic<unknown, V>, message: NewMessage<NoInfer<V>>): Message<V>;
  send<V>(topic: string, message: NewMessage<V>): Message<V>;
  send(topic: string | Topic<unknown, unknown>, message: NewMessage<unknown>): Message<unknown> {
    const log = this.#log(nameOf(topic));
    const where = `send to topic '${log.name}'`;
    checkMessage(message, log, where);
    const { key, value } = message;
    const timestamp = checkTimestamp(message.timestamp ?? this.#clock.now(), where);
    if (typeof topic !== 'string') checkValue(topic, value);
    const headers = message.headers === undefined ? NO_HEADERS : Object.freeze({ ...message.headers });
    return log.append({ key, value, timestamp, headers }, message.partition);
  }

  /**
   * What a topic holds, of all partitions one after the other, or of one, in the order in which it was sent.
   *
   * @throws RsError `RS_UNKNOWN_TOPIC`; `RS_INVALID_ARGUMENT` for a partition that the topic does not have
   */
  read(topic: string | Topic<unknown, unknown>, partition?: number): Message<unknown>[] {
    const log = this.#log(nameOf(topic));
    if (partition === undefined) return log.partitions.flatMap(({ messages }) => messages);
    const found = log.partition(partition);
    if (found !== undefined) return [...found.messages];
    throw refused(
      `the partitions of topic '${log.name}' are 0 to ${log.partitions.length - 1}`,
      log.name,
      partition,
    );
  }

  /**
   * How many partitions a topic has.
   *
   * @throws RsError `RS_UNKNOWN_TOPIC`
   */
  partitions(topic: string | Topic<unknown, unknown>): number {
    return this.#log(nameOf(topic)).partitions.length;
  }

  #log(name: string): TopicLog {
    const log = this.#logs.get(name);
    if (log !== undefined) return log;
    const known = [...this.#logs.keys()];
    const existing =
      known.length === 0 ? 'there is none yet' : `there are ${known.map((one) => `'${one}'`).join(', ')}`;
    throw new RsError(
      'RS_UNKNOWN_TOPIC',
      `topic '${String(name)}' was not created; ${existing}. Create it with topics.create('${String(name)}', { partitions: n })`,
      { details: { topic: name, known } },
    );
  }
}

function nameOf(topic: string | Topic<unknown, unknown>): string {
  return typeof topic === 'string'
    ? topic
    : ((topic as Partial<typeof topic> | null | undefined)?.name ?? '');
}

/** A schema that answers with a promise cannot keep a send waiting; those who read will ask it. */
export function checkValue({ name, value: schema }: Topic<unknown, unknown>, value: unknown): void {
  if (schema === undefined) return;
  let result;
  try {
    result = schema['~standard'].validate(value);
  } catch (error) {
    throw failureOf('RS_USER_FUNCTION_FAILED', `the schema of topic '${name}'`, error);
  }
  if (isPromise(result)) result.then(undefined, () => undefined);
  else if (result.issues !== undefined) {
    throw refusedValue(`a value sent to topic '${name}'`, result.issues, { topic: name });
  }
}

function refused(message: string, topic: string, received: unknown): RsError {
  return new RsError('RS_INVALID_ARGUMENT', `${message}, got ${String(received)}`, {
    details: { topic, received },
  });
}

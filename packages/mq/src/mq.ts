import {
  type Duration,
  type Logger,
  RsError,
  type Topic,
  checkObject,
  positiveDurationToMillis,
  silentLogger,
} from '@rs/core';
import {
  type Finding,
  type RedisClient,
  type RedisLike,
  checkPrefix,
  createRedisClient,
  doctor,
} from '@rs/redis';
import { checkFunction, refused } from './checks/checks.ts';
import { checkKnown } from './checks/known-options.ts';
import { type WaitOptions, waitSignal } from './checks/signal.ts';
import { type CloseOptions, closeTimeout } from './close-options.ts';
import type { MessageCodec } from './codec/codec.ts';
import { type Codecs, codecsOf } from './codec/codecs.ts';
import type { Consumer, ConsumerOptions } from './consumer/consumer.ts';
import { CONSUMER_DEFAULTS } from './consumer/options/consumer.ts';
import { GroupConsumer } from './consumer/engine/group-consumer.ts';
import { DeadLetters } from './dlq/dead-letters.ts';
import { Producer } from './producer/producer.ts';
import { checkLogger, guardedLogger } from './guarded-logger.ts';
import { hostName } from './host-name.ts';
import { type ProducerOptions, producerSettings } from './producer/producer-options.ts';
import { type Ids, type Random, systemIds, systemRandom } from './random.ts';
import { ServerCheck } from './server-check.ts';
import { abortable } from './time/abortable.ts';
import { systemTimers } from './time/timers.ts';
import { TopicDirectory } from './topics/topic-directory.ts';
import { TopicStore } from './topics/topic-store.ts';
import { type TopicLike, Topics, nameOf } from './topics/topics.ts';

export interface MqOptions {
  /**
   * Where Redis is: an ioredis `Redis` or `Cluster`, or a driver for another library. It is not connected or changed: its
   * addresses and credentials are used for connections of our own, which are made with the first call.
   */
  readonly redis: RedisLike;
  /** What all keys begin with: instances with different prefixes never see each other. Default `rs`. */
  readonly prefix?: string;
  /** Codecs besides `jsonCodec()`, `msgpackCodec()`, `textCodec()` and `bytesCodec()`, by which messages may be read and sent. */
  readonly codecs?: readonly MessageCodec[];
  /**
   * Works also on a Redis that removes keys when its memory is full (`maxmemory-policy` other than `noeviction`), though
   * messages and leases can then vanish silently. Default false: the first call is refused with `RS_REDIS_CONFIG`.
   */
  readonly allowEviction?: boolean;
  /**
   * How long what is known of a topic may be used before it is looked at again: producers use the partitions of a topic that
   * was grown elsewhere by then. Default 10 s.
   */
  readonly topicRefresh?: Duration;
  /** Is told what goes wrong and goes on. Default: says nothing. */
  readonly logger?: Logger;
  /** Ids of producers and consumers, never the same twice, not even in another process. Default: random ones. */
  readonly ids?: Ids;
  /** Jitter, and the partition of messages without a key. Default: the machine's randomness. */
  readonly random?: Random;
}

/** Every default of `createMq`. */
export const MQ_DEFAULTS = { prefix: 'rs', topicRefresh: '10s' } as const satisfies Partial<MqOptions>;

const WHERE = 'createMq';
/** How long `close` may take unless it is told: as a consumer's. */
const CLOSE_TIMEOUT = CONSUMER_DEFAULTS.closeTimeout;
/** Part of the time for closing that consumers may use up. */
const CONSUMERS_SHARE = 0.8;

/**
 * Message queues on Redis. Nothing is connected before it is used.
 *
 * @throws RsError `RS_INVALID_ARGUMENT`, `RS_INVALID_NAME`, `RS_INVALID_DURATION`
 */
export function createMq(options: MqOptions): Mq {
  checkObject(options, `${WHERE}: options`);
  checkKnown(
    options,
    ['redis', 'prefix', 'codecs', 'allowEviction', 'topicRefresh', 'logger', 'ids', 'random'],
    WHERE,
  );
  const { redis, allowEviction = false, ids = systemIds, random = systemRandom } = options;
  if (typeof redis !== 'object' || redis === null) {
    throw refused(`${WHERE}: redis`, 'an ioredis instance, such as new Redis()', redis);
  }
  const { logger: given = silentLogger } = options;
  checkLogger(given, `${WHERE}: logger`);
  const logger = guardedLogger(given);
  checkFunction(ids, `${WHERE}: ids`);
  checkFunction(random, `${WHERE}: random`);
  const refresh = positiveDurationToMillis(
    options.topicRefresh ?? MQ_DEFAULTS.topicRefresh,
    `${WHERE}: topicRefresh`,
  );
  const prefix = checkPrefix(options.prefix ?? MQ_DEFAULTS.prefix);
  const codecs = codecsOf(options.codecs);
  return new Mq({
    client: createRedisClient(redis, { logger, random }),
    prefix,
    codecs,
    refresh,
    allowEviction,
    logger,
    ids,
    random,
  });
}

interface MqParts {
  readonly client: RedisClient;
  readonly prefix: string;
  readonly codecs: Codecs;
  readonly refresh: number;
  readonly allowEviction: boolean;
  readonly logger: Logger;
  readonly ids: Ids;
  readonly random: Random;
}

/** Made by {@link createMq}: topics, and who sends to them and reads them. */
export class Mq {
  /** Creates topics and tells about them. */
  readonly topics: Topics;
  readonly #parts: MqParts;
  readonly #check: ServerCheck;
  readonly #directory: TopicDirectory;
  readonly #producers = new Set<Producer>();
  readonly #consumers = new Set<Consumer>();
  #closing: Promise<void> | undefined;

  /** @internal */
  constructor(parts: MqParts) {
    this.#parts = parts;
    const { client, prefix, logger, refresh, ids, allowEviction } = parts;
    this.#check = new ServerCheck({ client, logger, allowEviction });
    const store = new TopicStore({ client, prefix, ready: () => this.#check.passed() });
    this.#directory = new TopicDirectory({ store, timers: systemTimers, logger, refresh });
    this.topics = new Topics({ store, directory: this.#directory, ids });
  }

  /**
   * Something to send messages with. One is enough for a process, and it serves all topics.
   *
   * @throws RsError `RS_INVALID_ARGUMENT`, `RS_INVALID_DURATION`; `RS_CLOSED` after `close`
   */
  producer(options: ProducerOptions = {}): Producer {
    const { client, prefix, codecs, logger, ids, random } = this.#parts;
    const settings = producerSettings(options, codecs);
    this.#checkOpen('mq.producer');
    const producer = new Producer({
      client,
      prefix,
      settings,
      logger,
      ids,
      random,
      directory: this.#directory,
      timers: systemTimers,
      onClosed: (closed) => this.#producers.delete(closed),
    });
    this.#producers.add(producer);
    return producer;
  }

  /**
   * A member of a group, which shares the partitions of the topics it subscribes to with the other members.
   *
   * @throws RsError `RS_INVALID_ARGUMENT`, `RS_INVALID_NAME`, `RS_INVALID_DURATION`; `RS_CLOSED` after `close`
   */
  consumer(options: ConsumerOptions): Consumer {
    this.#checkOpen('mq.consumer');
    const { client, prefix, codecs, logger, ids, random } = this.#parts;
    const consumer = new GroupConsumer(options, {
      client,
      prefix,
      codecs,
      timers: systemTimers,
      random,
      newId: ids,
      logger,
      host: hostName(),
      ready: () => this.#check.passed(),
      onClosed: (closed) => this.#consumers.delete(closed),
    });
    this.#consumers.add(consumer);
    return consumer;
  }

  /**
   * The messages of a topic that groups have given up: to look at, to be handled again, to be removed.
   *
   * @throws RsError `RS_INVALID_NAME`; `RS_CLOSED` after `close`
   */
  deadLetters<T, Input>(topic: Topic<T, Input>): DeadLetters<T>;
  deadLetters(topic: string): DeadLetters<unknown>;
  deadLetters(topic: TopicLike): DeadLetters<unknown> {
    const name = nameOf(topic);
    const schema = typeof topic === 'string' ? undefined : topic.value;
    this.#checkOpen('mq.deadLetters');
    const { client, prefix, codecs, ids } = this.#parts;
    return new DeadLetters<unknown>({
      name,
      schema,
      client,
      prefix,
      codecs,
      ids,
      directory: this.#directory,
      timers: systemTimers,
    });
  }

  /**
   * Looks at every master of Redis, how it is set up and how it is doing, and says what it found, the good included.
   *
   * @throws RsError `RS_CLOSED`; the reason of the `signal`, which ends the waiting
   */
  async doctor(options: WaitOptions = {}): Promise<Finding[]> {
    const signal = waitSignal(options, 'doctor');
    const { client, allowEviction } = this.#parts;
    return abortable(doctor(client, { allowEviction }), signal);
  }

  /**
   * Closes all that was made here, and its connections, within `timeout`, 10 s by default: first the consumers, which have four fifths of
   * it as their own timeout, then the producers, which have the rest, and then the connections. Later calls wait for the first.
   *
   * @throws RsError `RS_INVALID_ARGUMENT`, `RS_INVALID_DURATION`
   */
  async close(options: CloseOptions = {}): Promise<void> {
    const timeout = closeTimeout(options, CLOSE_TIMEOUT);
    this.#closing ??= this.#close(timeout);
    await this.#closing;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async #close(timeout: number): Promise<void> {
    const deadline = systemTimers.monotonic() + timeout;
    // Handlers may send: producers stay open until they have ended.
    await Promise.all(
      [...this.#consumers].map((consumer) => consumer.close({ timeout: timeout * CONSUMERS_SHARE })),
    );
    const left = Math.max(0, deadline - systemTimers.monotonic());
    await Promise.all([...this.#producers].map((producer) => producer.close({ timeout: left })));
    await this.#parts.client.close();
  }

  #checkOpen(what: string): void {
    if (this.#closing === undefined) return;
    throw new RsError('RS_CLOSED', `${what}: this mq is closed`);
  }
}

import { type Logger, RsError, checkName, checkObject } from '@rs/core';
import type { RedisClient } from '@rs/redis';
import { checkFunction } from '../../checks/checks.ts';
import { type WaitOptions, waitSignal } from '../../checks/signal.ts';
import { type CloseOptions, closeTimeout } from '../../close-options.ts';
import type { Codecs } from '../../codec/codecs.ts';
import { abortable } from '../../time/abortable.ts';
import type { Timers } from '../../time/timers.ts';
import type { CloseReport, Consumer, ConsumerOptions, ConsumerStatus } from '../consumer.ts';
import { decoderFor } from '../decode.ts';
import type { BatchHandler, MessageHandler } from '../handler.ts';
import { BatchRunner } from '../lane/batch-runner.ts';
import type { LaneEvents } from '../lane/lane-events.ts';
import { MessageRunner } from '../lane/message-runner.ts';
import type { Decode, Runner, RunnerHost } from '../lane/runner.ts';
import type { Meeting } from '../membership/group-meeting.ts';
import { type ResolvedBatch, resolveBatch } from '../options/batch.ts';
import { CONSUMER_DEFAULTS, type ConsumerSettings, consumerSettings } from '../options/consumer.ts';
import { type ResolvedSubscription, resolveSubscription } from '../options/subscription.ts';
import type { GroupPartition } from '../partition/group-partition.ts';
import type { TopicLike } from '../../topics/topics.ts';
import type { BatchOptions, ConsumerSubscriptionOptions } from '../subscription-options.ts';
import { consumerEvents } from './consumer-events.ts';
import { Doorbell } from './doorbell.ts';
import { LeaseKeeper } from './lease-keeper.ts';
import { type LeaseTimes, leaseTimes } from './lease-times.ts';
import { type Subscription, TopicConsumer } from './topic-consumer.ts';

/** Part of the time for closing after which handlers are told to give up. */
const PATIENCE = 0.8;
/** What remains after that time for storing outcomes and giving leases back. */
const LAST_WORDS = 400;

export interface ConsumerEnvironment {
  readonly client: RedisClient;
  readonly prefix: string;
  readonly codecs: Codecs;
  readonly timers: Timers;
  readonly random: () => number;
  /** A new random id with each call. */
  readonly newId: () => string;
  readonly logger: Logger;
  /** Default for the name of consumers. */
  readonly host: string;
  /** Fulfilled when the servers were found fit to be used. */
  readonly ready: () => Promise<void>;
  readonly onClosed: (consumer: Consumer) => void;
}

export class GroupConsumer implements Consumer {
  readonly #environment: ConsumerEnvironment;
  readonly #group: string;
  readonly #member: string;
  readonly #settings: ConsumerSettings;
  readonly #times: LeaseTimes;
  readonly #keeper: LeaseKeeper;
  readonly #events: LaneEvents;
  readonly #topics = new Map<string, TopicConsumer>();
  readonly #doorbells = new Map<string, Doorbell>();
  #state: 'new' | 'running' | 'closed' = 'new';
  #paused = false;
  #starting: Promise<void> | undefined;
  #closing: Promise<CloseReport> | undefined;

  constructor(options: ConsumerOptions, environment: ConsumerEnvironment) {
    const settings = consumerSettings(options, environment.host);
    this.#group = settings.group;
    this.#member = `${settings.name}-${environment.newId()}`;
    this.#times = leaseTimes(settings.lease);
    this.#settings = settings;
    this.#environment = environment;
    this.#events = consumerEvents(environment.logger);
    const { client, timers, logger } = environment;
    this.#keeper = new LeaseKeeper({
      client,
      times: this.#times,
      timers,
      onTrouble: (error) => {
        logger.warn({ group: this.#group, error }, 'leases could not be renewed; trying again');
      },
    });
  }

  subscribe(
    topic: TopicLike,
    // Method parameters are compared both ways: each overload of the interface hands in what fits its topic.
    handler: MessageHandler<never>,
    options: ConsumerSubscriptionOptions = {},
  ): void {
    const name = typeof topic === 'string' ? topic : topic.name;
    const what = `subscribe '${name}'`;
    checkFunction(handler, `${what}: handler`);
    const resolved = resolveSubscription(options, what);
    this.#add(
      topic,
      resolved,
      undefined,
      (decode, host) =>
        new MessageRunner(
          {
            handler: handler as MessageHandler<unknown>,
            decode,
            group: this.#group,
            ack: resolved.ack,
            timeout: resolved.handlerTimeout,
            timers: this.#environment.timers,
          },
          host,
        ),
    );
  }

  subscribeBatch(
    topic: TopicLike,
    handler: BatchHandler<never>,
    options: ConsumerSubscriptionOptions & BatchOptions = {},
  ): void {
    const name = typeof topic === 'string' ? topic : topic.name;
    const what = `subscribeBatch '${name}'`;
    checkFunction(handler, `${what}: handler`);
    checkObject(options, `${what}: options`);
    const { max, maxWait, ...rest } = options;
    const resolved = resolveSubscription(rest, what);
    const batch = resolveBatch(
      { ...(max === undefined ? {} : { max }), ...(maxWait === undefined ? {} : { maxWait }) },
      resolved,
      what,
    );
    this.#add(
      topic,
      resolved,
      batch,
      (decode, host) =>
        new BatchRunner(
          {
            handler: handler as BatchHandler<unknown>,
            decode,
            group: this.#group,
            timeout: resolved.handlerTimeout,
            timers: this.#environment.timers,
          },
          host,
        ),
    );
  }

  async start(options: WaitOptions = {}): Promise<void> {
    const signal = waitSignal(options, 'start');
    this.#checkOpen();
    if (this.#topics.size === 0) {
      throw new RsError(
        'RS_INVALID_ARGUMENT',
        `consumer of group '${this.#group}': subscribe to a topic before start`,
      );
    }
    this.#starting ??= this.#start();
    await abortable(this.#starting, signal);
  }

  async #start(): Promise<void> {
    const joining = new Map<TopicConsumer, Meeting>();
    const topics = [...this.#topics.values()];
    try {
      await this.#environment.ready();
      const joined = await Promise.allSettled(
        topics.map(async (topic) => joining.set(topic, await topic.join())),
      );
      for (const each of joined) if (each.status === 'rejected') throw each.reason;
      this.#checkOpen();
    } catch (error) {
      // Half of a consumer would look like a whole one: nothing runs, and the same consumer can be started again.
      this.#starting = undefined;
      const leaving = Promise.allSettled(topics.map((topic) => topic.leave()));
      await within(this.#environment.timers, LAST_WORDS, leaving);
      throw error;
    }
    this.#state = 'running';
    await Promise.all(
      [...this.#topics.values()].map(async (topic) => {
        const meeting = joining.get(topic);
        // Without one it was subscribed to meanwhile.
        if (meeting === undefined) topic.startLater();
        else await topic.begin(meeting);
      }),
    );
  }

  async pause(options: WaitOptions = {}): Promise<void> {
    const signal = waitSignal(options, 'pause');
    this.#checkOpen();
    this.#paused = true;
    const paused = Promise.all([...this.#topics.values()].map((topic) => topic.pause()));
    await abortable(paused, signal);
  }

  resume(): void {
    this.#checkOpen();
    this.#paused = false;
    for (const topic of this.#topics.values()) topic.resume();
  }

  status(): ConsumerStatus {
    const lanes = [...this.#topics.values()].flatMap((topic) => topic.lanes);
    return {
      state: this.#state === 'running' && this.#paused ? 'paused' : this.#state,
      partitions: lanes.map((lane) => ({
        topic: lane.scripts.place.topic,
        partition: lane.scripts.place.partition,
        state: lane.state,
        inFlight: lane.inFlight,
        parked: lane.queue.parked,
        handling: lane.handling,
        low: lane.table.low,
      })),
    };
  }

  async close(options: CloseOptions = {}): Promise<CloseReport> {
    const timeout = closeTimeout(options, CONSUMER_DEFAULTS.closeTimeout);
    this.#closing ??= this.#close(timeout);
    return this.#closing;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  /**
   * Invariant: ends within the timeout and what is left for last words, whatever handlers and Redis do. What could not be stored is pending
   * in Redis and goes to the next owner.
   */
  async #close(timeout: number): Promise<CloseReport> {
    this.#state = 'closed';
    const { timers } = this.#environment;
    const topics = [...this.#topics.values()];
    const cancelAbort = timers.after(timeout * PATIENCE, () => {
      const reason = new RsError(
        'RS_CLOSED',
        `the consumer of group '${this.#group}' closes; its message is delivered again`,
      );
      for (const topic of topics) topic.abort(reason);
    });
    // One topic that has trouble takes nothing from the others.
    const closing = Promise.allSettled(topics.map((topic) => topic.close()));
    await within(timers, timeout + LAST_WORDS / 2, closing);
    cancelAbort();
    const lanes = topics.flatMap((topic) => topic.lanes);
    const report = {
      abandoned: lanes.reduce((sum, lane) => sum + lane.handling, 0),
      unreleased: topics.reduce((sum, topic) => sum + topic.unreleased, 0),
    };
    this.#keeper.close();
    for (const topic of topics) topic.destroy();
    for (const doorbell of this.#doorbells.values()) doorbell.close();
    this.#environment.onClosed(this);
    return report;
  }

  #add(
    topic: TopicLike,
    options: ResolvedSubscription,
    batch: ResolvedBatch | undefined,
    makeRunner: (decode: Decode, host: RunnerHost) => Runner,
  ): void {
    this.#checkOpen();
    const { name, value: schema } = typeof topic === 'string' ? { name: topic, value: undefined } : topic;
    checkName(name, 'a topic');
    if (this.#topics.has(name)) {
      throw new RsError(
        'RS_DUPLICATE_SUBSCRIPTION',
        `the consumer of group '${this.#group}' has a subscription to topic '${name}' already`,
        { details: { topic: name, group: this.#group } },
      );
    }
    const { client, prefix, codecs, timers, random, newId, logger } = this.#environment;
    const subscription: Subscription = {
      topic: name,
      options,
      batch,
      makeRunner: (partition, host) =>
        makeRunner(decoderFor({ name, value: schema }, codecs, partition), host),
    };
    const consumer = new TopicConsumer({
      subscription,
      group: this.#group,
      member: this.#member,
      prefix,
      client,
      times: this.#times,
      rebalanceEvery: this.#settings.rebalanceInterval,
      keeper: this.#keeper,
      doorbellFor: (place) => this.#doorbellFor(place),
      timers,
      random,
      newToken: newId,
      logger,
      events: this.#events,
    });
    this.#topics.set(name, consumer);
    if (this.#paused) void consumer.pause();
    if (this.#state === 'running') consumer.startLater();
  }

  /** One per slot, since a blocking read cannot span several; on a single server one for everything. */
  #doorbellFor({ tag, topic, partition, keys }: GroupPartition): Doorbell {
    const { client, timers, logger } = this.#environment;
    const slot = client.topology === 'single' ? '' : tag;
    let doorbell = this.#doorbells.get(slot);
    if (doorbell === undefined) {
      doorbell = new Doorbell({
        connection: client.dedicated({ key: keys.stream, name: `rs-${this.#group}` }),
        block: this.#settings.pollTimeout,
        timers,
        onTrouble: (error, told) => {
          logger[told ? 'warn' : 'debug'](
            { group: this.#group, topic, partition, error },
            'waiting for messages failed; trying again',
          );
        },
      });
      this.#doorbells.set(slot, doorbell);
    }
    return doorbell;
  }

  get #isClosed(): boolean {
    return this.#state === 'closed';
  }

  #checkOpen(): void {
    if (!this.#isClosed) return;
    throw new RsError('RS_CLOSED', `the consumer of group '${this.#group}' is closed; make another one`);
  }
}

function within(timers: Timers, ms: number, work: Promise<unknown>): Promise<void> {
  return new Promise((resolve) => {
    const cancel = timers.after(ms, resolve);
    void work.then(() => {
      cancel();
      resolve();
    });
  });
}

import { isRsError, silentLogger } from '@rs/core';
import { TopicKeys } from '@rs/redis';
import { codecsOf } from '../codec/codecs.ts';
import type { CloseReport } from '../consumer/consumer.ts';
import { GroupConsumer } from '../consumer/engine/group-consumer.ts';
import type { HandlerContext } from '../consumer/handler.ts';
import type { BatchOptions, ConsumerSubscriptionOptions } from '../consumer/subscription-options.ts';
import { FakeBroker, type Fate } from './fake-broker.ts';
import { FakeTime, FakeTimers } from './fake-timers.ts';
import { GroupWatch, type WatchedCall, type WatchedKeys } from './group-watch.ts';
import { seeded } from './seeded.ts';
import { type Work, type WorkResult, perform } from './simulated-work.ts';
import { typed } from './typed.ts';

const TOPIC = 'orders';
const GROUP = 'billing';

export interface GroupSetup {
  readonly seed: number;
  readonly partitions: number;
  readonly lease: number;
  readonly pollTimeout: number;
  readonly rebalanceInterval: number;
  readonly subscription: ConsumerSubscriptionOptions;
  readonly batch: BatchOptions | undefined;
}

export interface Member {
  readonly name: string;
  readonly process: FakeTimers;
  readonly consumer: GroupConsumer;
  closing: boolean;
  closed: CloseReport | undefined;
}

/** How reliable the network and Redis are. */
export interface Weather {
  /** Share of calls that have a fault. */
  readonly faulty: number;
  /** Milliseconds that a message between a client and Redis takes at most. */
  readonly latency: number;
}

const FAULTS = ['refused', 'lost', 'no reply', 'late', 'silence'] as const;

/** A group of consumers as they are, with a model of Redis, faults and time by the test's choice. */
export class SimulatedGroup {
  readonly time = new FakeTime();
  readonly broker = new FakeBroker(this.time);
  readonly watch: GroupWatch;
  readonly members: Member[] = [];
  /** By partition. */
  readonly keys: readonly WatchedKeys[];
  weather: Weather = { faulty: 0, latency: 3 };
  readonly #setup: GroupSetup;
  readonly #random: () => number;
  /** How often each message was handled. */
  readonly #handled = new Map<number, number>();
  readonly #wereStopped = new Set<Member>();
  #works = 0;

  constructor(setup: GroupSetup) {
    this.#setup = setup;
    this.#random = seeded(setup.seed);
    const topic = new TopicKeys({ topic: TOPIC, shards: setup.partitions });
    this.keys = Array.from({ length: setup.partitions }, (_, partition) => {
      const { log: stream, deadLetters: dead, ...keys } = topic.partition(partition);
      return { ...keys, stream, dead, ...topic.partition(partition).group(GROUP) };
    });
    const { subscription, batch } = setup;
    const { ordering = 'partition', ack, retry } = subscription;
    this.watch = new GroupWatch({
      redis: this.broker.redis,
      group: GROUP,
      keys: this.keys,
      maxAttempts: retry?.maxAttempts ?? 5,
      mayOverlap:
        batch !== undefined || ack === 'manual'
          ? undefined
          : (a, b) => ordering === 'none' || (ordering === 'key' && (a === undefined || a !== b)),
    });
    this.broker.createTopic(TOPIC, setup.partitions);
    this.broker.fate = (name) => this.#fate(name);
    this.broker.onExecuted = (executed) => {
      this.watch.executed(executed);
    };
  }

  /** To the partition of the key, or to any. */
  send(key: number | undefined, work: Omit<Work, 'n'>): void {
    const n = this.#works++;
    const partition = (key ?? n) % this.keys.length;
    const id = this.broker.send(
      this.#keys(partition).stream,
      { n, ...work },
      key === undefined ? undefined : `k${key}`,
    );
    const { retry, handlerTimeout = Infinity } = this.#setup.subscription;
    const failures = work.behaviours.filter((behaviour) => behaviour !== 'ok').length;
    const mayDie =
      work.behaviours.includes('dead letter') ||
      work.behaviours.at(-1) !== 'ok' ||
      failures >= (retry?.maxAttempts ?? 5) ||
      work.takes >= Number(handlerTimeout);
    this.watch.sent.set(`${partition} ${id}`, { partition, mayDie });
  }

  /** Starts a process with a consumer in it. */
  async start(): Promise<Member> {
    const member = this.join();
    member.consumer.start().catch(() => {
      // Without Redis a start fails; the process ends, as those of users do.
      if (!member.closing) member.process.kill();
    });
    await this.time.settle();
    return member;
  }

  /** A process whose consumer has not started. */
  join(): Member {
    const name = `m${this.members.length}`;
    const process = new FakeTimers(this.time);
    let ids = 0;
    const { lease, pollTimeout, rebalanceInterval } = this.#setup;
    const consumer = new GroupConsumer(
      { group: GROUP, name, lease, pollTimeout, rebalanceInterval },
      {
        client: this.broker.client(process, name),
        prefix: 'rs',
        codecs: codecsOf(),
        timers: process,
        random: this.#random,
        newId: () => `${name}.${ids++}`,
        logger: silentLogger,
        host: 'host',
        ready: () => Promise.resolve(),
        onClosed: () => undefined,
      },
    );
    const member: Member = { name, process, consumer, closing: false, closed: undefined };
    this.#subscribe(member);
    this.members.push(member);
    return member;
  }

  alive(): Member[] {
    return this.members.filter(({ process, closed }) => !process.dead && closed === undefined);
  }

  /** Closes a consumer, which has to end in time unless its process was stopped. */
  close(member: Member, timeout: number): void {
    if (member.closing) return;
    member.closing = true;
    void member.consumer.close({ timeout }).then((report) => {
      member.closed = report;
    });
    this.time.at(this.time.now + timeout + 500, () => {
      if (member.closed !== undefined || member.process.dead || this.#wereStopped.has(member)) return;
      this.watch.violations.add(`close of ${member.name} has not ended within ${timeout} ms and 0.5 s`);
    });
  }

  /** Stops a process for a while. */
  stop(member: Member, ms: number): void {
    this.#wereStopped.add(member);
    member.process.stop();
    this.time.at(this.time.now + ms, () => {
      member.process.continue();
    });
  }

  destroyGroup(partition: number): void {
    this.watch.destroyed.add(partition);
    this.broker.redis.streams.get(this.#keys(partition).stream)?.groups.delete(GROUP);
  }

  /** Deletes a log with all that is in it. What was sent to it need not be handled any more. */
  deleteLog(partition: number): void {
    this.broker.redis.delete(this.#keys(partition).stream);
    for (const [place, sent] of this.watch.sent)
      if (sent.partition === partition) this.watch.sent.delete(place);
  }

  /** Redis loses everything but the topic. */
  flush(): void {
    this.watch.flushedUntil = this.broker.redis.now + 2 * this.#setup.lease;
    this.broker.redis.flush();
    this.broker.createTopic(TOPIC, this.keys.length);
    this.watch.sent.clear();
  }

  /** Gives the group the oldest dead letter again, as a replay does. */
  redeliver(partition: number): void {
    const { dead, redelivery } = this.#keys(partition);
    const [entry] = this.broker.redis.streams.get(dead)?.entries ?? [];
    if (entry === undefined) return;
    this.watch.redelivered.add(`${partition} ${String(entry.fields[1])}`);
    this.broker.redis.add(redelivery, ['o', entry.fields[1] ?? '', ...entry.fields.slice(12)]);
    this.broker.redis.stream(dead).remove([entry.id]);
  }

  /** Consumers that have something in their hands. */
  busy(): string[] {
    return this.alive().flatMap(({ name, consumer }) =>
      consumer
        .status()
        .partitions.filter(({ inFlight, parked }) => inFlight > 0 || parked > 0)
        .map(({ partition }) => `${name} has messages of partition ${partition}`),
    );
  }

  #subscribe(member: Member): void {
    const { subscription, batch } = this.#setup;
    if (batch === undefined) {
      member.consumer.subscribe(
        typed<Work>(TOPIC),
        (message, context) => this.#handle(member, message, context),
        subscription,
      );
      return;
    }
    member.consumer.subscribeBatch(
      typed<Work>(TOPIC),
      async (messages, { signal, attempts, group }) => {
        const none = { ack: () => undefined, settle: () => undefined };
        const results = messages.map(async (message, at) =>
          this.#handle(member, message, { signal, group, attempt: attempts[at] ?? 0, ...none }),
        );
        return Promise.all(results.map((result) => result.catch(() => 'RETRY' as const)));
      },
      { ...subscription, ...batch },
    );
  }

  #handle(
    { name, process }: Member,
    { id, partition, key, value }: { id: string; partition: number; key: string | undefined; value: Work },
    context: HandlerContext,
  ): Promise<WorkResult> | undefined {
    const call: WatchedCall = { member: name, partition, id, key, signal: context.signal };
    this.watch.started(call, context.attempt);
    const before = this.#handled.get(value.n) ?? 0;
    this.#handled.set(value.n, before + 1);
    return perform(value.behaviours[Math.min(before, value.behaviours.length - 1)] ?? 'ok', value.takes, {
      process,
      context,
      manual: this.#setup.subscription.ack === 'manual',
      onEnd: () => {
        this.watch.ended(call);
      },
      onSuccess: () => {
        // What ends after its time is over has failed.
        if (!isRsError(context.signal.reason, 'RS_HANDLER_TIMEOUT')) this.watch.succeeded(call);
      },
    });
  }

  #keys(partition: number): WatchedKeys {
    const keys = this.keys[partition];
    if (keys === undefined) throw new Error(`there is no partition ${partition}`);
    return keys;
  }

  #fate(name: string): Fate {
    const { faulty, latency } = this.weather;
    const there = Math.floor(this.#random() * (latency + 1));
    const back = Math.floor(this.#random() * (latency + 1));
    if (this.#random() >= faulty) return { there, back };
    const fault = FAULTS[Math.floor(this.#random() * FAULTS.length)] ?? 'lost';
    // A blocking call that nobody answers ends by its own deadline, as a lost one.
    return { there, back, fault: name === 'XREAD' && fault === 'silence' ? 'lost' : fault };
  }
}

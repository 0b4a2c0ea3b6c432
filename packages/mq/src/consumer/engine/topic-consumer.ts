import { type Logger, RsError, isRsError } from '@rs/core';
import { type RedisClient, TopicKeys } from '@rs/redis';
import type { Timers } from '../../time/timers.ts';
import { Waiter } from '../../time/waiter.ts';
import { assign } from '../assignment/assign.ts';
import { Lane } from '../lane/lane.ts';
import type { LaneEvents } from '../lane/lane-events.ts';
import type { Runner, RunnerHost } from '../lane/runner.ts';
import { GroupMeeting, type Meeting } from '../membership/group-meeting.ts';
import type { ResolvedBatch } from '../options/batch.ts';
import type { ResolvedSubscription } from '../options/subscription.ts';
import type { GroupPartition } from '../partition/group-partition.ts';
import { PartitionScripts } from '../partition/partition-scripts.ts';
import type { Doorbell, Listener } from './doorbell.ts';
import type { LeaseKeeper } from './lease-keeper.ts';
import type { LeaseTimes } from './lease-times.ts';

export interface Subscription {
  readonly topic: string;
  readonly options: ResolvedSubscription;
  readonly batch: ResolvedBatch | undefined;
  readonly makeRunner: (partition: number, host: RunnerHost) => Runner;
}

export interface TopicConsumerOptions {
  readonly subscription: Subscription;
  readonly group: string;
  /** Id of this member, unique per start. */
  readonly member: string;
  readonly prefix: string;
  readonly client: RedisClient;
  readonly times: LeaseTimes;
  /** Milliseconds between two looks at who else is there. */
  readonly rebalanceEvery: number;
  readonly keeper: LeaseKeeper;
  readonly doorbellFor: (place: GroupPartition) => Doorbell;
  readonly timers: Timers;
  readonly random: () => number;
  readonly newToken: () => string;
  readonly logger: Logger;
  readonly events: LaneEvents;
}

/** How soon a partition that another member still holds is asked for again. */
const ASK_AGAIN = 250;
/** Expiries are looked at a little later than they are due, so that the first look finds them. */
const AFTER_EXPIRY = 10;
const MAX_TROUBLE_DELAY = 5_000;

/**
 * One member's part of one topic: knows who else is there, owns its fair share of the partitions, and has a lane for each.
 *
 * Invariants:
 * - A partition is acquired only when no earlier lane of it has a handler running in this process.
 * - A partition that goes to another member is drained and its outcomes are stored before its lease is given back.
 * - The loop ends only with `close`; an error is told and the next round comes all the same.
 */
export class TopicConsumer {
  readonly #options: TopicConsumerOptions;
  readonly #meeting: GroupMeeting;
  readonly #lanes = new Map<number, Lane>();
  /** Partitions that are being acquired. */
  readonly #busy = new Set<number>();
  readonly #tokens = new Map<number, string>();
  readonly #waiter = new Waiter();
  #wanted: ReadonlySet<number> = new Set();
  #keys: TopicKeys | undefined;
  #paused = false;
  #closing = false;
  #loop: Promise<void> | undefined;
  #shedding = new Set<Promise<void>>();

  constructor(options: TopicConsumerOptions) {
    this.#options = options;
    const { client, group, member, prefix, times, subscription } = options;
    const keys = new TopicKeys({ topic: subscription.topic, shards: 1, prefix });
    this.#meeting = new GroupMeeting({
      client,
      topic: subscription.topic,
      keys: { meta: keys.meta, members: keys.members(group) },
      member,
      pin: subscription.options.pin,
      ttl: times.stored,
    });
  }

  get topic(): string {
    return this.#options.subscription.topic;
  }

  get lanes(): readonly Lane[] {
    return [...this.#lanes.values()];
  }

  /** Fulfilled when this member is in the group and has asked for its partitions once. */
  async start(): Promise<void> {
    const next = await this.#round();
    this.#loop = this.#run(next);
  }

  /** Joins a consumer that runs already; what does not work is tried again. */
  startLater(): void {
    this.#loop = this.#run(0);
  }

  async pause(): Promise<void> {
    this.#paused = true;
    await Promise.all(this.lanes.map((lane) => lane.pause()));
  }

  resume(): void {
    this.#paused = false;
    for (const lane of this.lanes) lane.resume();
  }

  /** Drains all lanes, gives their leases back and leaves the group. Whoever calls it limits its time. */
  async close(): Promise<void> {
    this.#closing = true;
    this.#wanted = new Set();
    this.#waiter.notify();
    for (const lane of this.lanes) this.#shed(lane);
    await this.#loop;
    while (this.#shedding.size > 0) await Promise.all(this.#shedding);
    if (this.#loop !== undefined) await this.#meeting.leave();
  }

  /** Tells all handlers to give up. */
  abort(reason: RsError): void {
    for (const lane of this.#lanes.values()) lane.abort(reason);
  }

  /** Ends without waiting for anything; leases end by themselves. */
  destroy(): void {
    this.#closing = true;
    this.#waiter.notify();
    for (const lane of this.lanes) {
      this.#options.keeper.remove(lane);
      lane.end();
    }
    this.#lanes.clear();
  }

  /** Never rejected. */
  async #run(firstDelay: number): Promise<void> {
    const { timers, events, subscription } = this.#options;
    let delay = firstDelay;
    while (!this.#closing) {
      const cancel = timers.after(delay, () => {
        this.#waiter.notify();
      });
      await this.#waiter.wait();
      cancel();
      if (this.#closing) return;
      try {
        delay = await this.#round();
      } catch (error) {
        if (isRsError(error, 'RS_CLOSED')) return;
        events.trouble(this.#place(0), `looking after the group of topic '${subscription.topic}'`, error);
        delay =
          Math.min(MAX_TROUBLE_DELAY, this.#options.rebalanceEvery) * (0.5 + this.#options.random() / 2);
      }
    }
  }

  /** Milliseconds until the next round. */
  async #round(): Promise<number> {
    const meeting = await this.#meeting.attend([...this.#lanes.keys()]);
    if (this.#closing) return 0;
    this.#keys = this.#keysFor(meeting);
    const { subscription, member, rebalanceEvery } = this.#options;
    const { partitions, members } = meeting;
    const assigned = assign({ partitions, members, salt: subscription.topic });
    this.#wanted = new Set(assigned.get(member));
    for (const [partition, lane] of this.#lanes) if (!this.#wanted.has(partition)) this.#shed(lane);
    await Promise.all([...this.#wanted].map((partition) => this.#acquire(partition)));
    return Math.min(rebalanceEvery, (meeting.firstExpiry ?? Infinity) + AFTER_EXPIRY);
  }

  /** Never rejected: what fails is tried again. */
  async #acquire(partition: number): Promise<void> {
    if (
      this.#closing ||
      !this.#wanted.has(partition) ||
      this.#lanes.has(partition) ||
      this.#busy.has(partition)
    )
      return;
    const { client, subscription, member, times, timers, events, newToken } = this.#options;
    const place = this.#place(partition);
    const scripts = new PartitionScripts(client, place);
    // The same one until there is an answer: an acquisition whose reply was lost is found again, not waited for.
    const token = this.#tokens.get(partition) ?? newToken();
    this.#tokens.set(partition, token);
    const sentAt = timers.monotonic();
    this.#busy.add(partition);
    let again = ASK_AGAIN;
    try {
      const reply = await scripts.acquire({
        token,
        owner: member,
        ttl: times.stored,
        from: subscription.options.from,
      });
      this.#tokens.delete(partition);
      if (reply.type === 'acquired') {
        // Meanwhile the consumer may have been closed, or the partition have become somebody else's.
        if (this.#closing || !this.#wanted.has(partition)) await scripts.release(token);
        else this.#open(scripts, reply.lease, sentAt + times.stored);
        return;
      }
      again = Math.min(reply.left + AFTER_EXPIRY, ASK_AGAIN);
    } catch (error) {
      if (isRsError(error, 'RS_CLOSED')) return;
      events.trouble(place, 'acquiring', error);
    } finally {
      this.#busy.delete(partition);
    }
    timers.after(again, () => void this.#acquire(partition));
  }

  #open(scripts: PartitionScripts, lease: Lane['lease'], deadline: number): void {
    const { subscription, keeper, doorbellFor, timers, random, logger, events } = this.#options;
    const { place } = scripts;
    const doorbell = doorbellFor(place);
    const listener: Listener = {
      stream: place.keys.stream,
      redelivery: place.keys.redelivery,
      ring: () => {
        lane.ring();
      },
    };
    const lane: Lane = new Lane({
      scripts,
      lease,
      subscription: subscription.options,
      batch: subscription.batch,
      makeRunner: (host) => subscription.makeRunner(place.partition, host),
      bell: {
        watch: (after, again) => {
          doorbell.watch(listener, after, again);
        },
        unwatch: () => {
          doorbell.unwatch(listener);
        },
      },
      timers,
      random,
      logger,
      events,
      deadline,
      paused: this.#paused,
      onEnd: () => void this.#forget(lane),
    });
    this.#lanes.set(place.partition, lane);
    keeper.add(lane);
    events.acquired(place, lease);
    lane.start();
  }

  /** A lane that ended by itself: its partition may come back once its last handler has returned. */
  async #forget(lane: Lane): Promise<void> {
    const { partition } = lane.scripts.place;
    this.#options.keeper.remove(lane);
    await lane.quiet();
    if (this.#lanes.get(partition) !== lane) return;
    this.#lanes.delete(partition);
    // The others wait for it, or it is to be acquired again: they learn of it with the next meeting.
    this.#waiter.notify();
  }

  #shed(lane: Lane): void {
    if (lane.state === 'draining' || lane.state === 'ended') return;
    const shedding = this.#giveBack(lane).finally(() => this.#shedding.delete(shedding));
    this.#shedding.add(shedding);
  }

  /** Never rejected. A lease that cannot be given back ends by itself. */
  async #giveBack(lane: Lane): Promise<void> {
    const { keeper, events } = this.#options;
    const { place } = lane.scripts;
    await lane.drain();
    keeper.remove(lane);
    if (lane.state !== 'ended') {
      try {
        await lane.scripts.release(lane.lease.token);
        events.released(place);
      } catch (error) {
        events.trouble(place, 'giving back its lease', error);
      }
    }
    lane.end();
  }

  #keysFor({ shards }: Meeting): TopicKeys {
    if (this.#keys?.shards === shards) return this.#keys;
    return new TopicKeys({ topic: this.topic, shards, prefix: this.#options.prefix });
  }

  #place(partition: number): GroupPartition {
    const { group, prefix } = this.#options;
    const keys = (this.#keys ?? new TopicKeys({ topic: this.topic, shards: 1, prefix })).partition(partition);
    const { lease, retries, attempts, redelivery } = keys.group(group);
    const { log: stream, holds, deadLetters: dead } = keys;
    return {
      topic: this.topic,
      partition,
      group,
      tag: stream.slice(0, stream.indexOf('}') + 1),
      keys: { stream, holds, dead, lease, retries, attempts, redelivery },
    };
  }
}

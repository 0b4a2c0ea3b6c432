import { type Logger, type RsError, isRsError } from '@rs/core';
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
import { type GroupPartition, groupPartition } from '../partition/group-partition.ts';
import { PartitionScripts } from '../partition/partition-scripts.ts';
import { Acquirer } from './acquirer.ts';
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

/** How soon members look at each other again while a partition has no owner. */
const UNSETTLED = 50;
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
  readonly #acquirer: Acquirer;
  readonly #waiter = new Waiter();
  #wanted: ReadonlySet<number> = new Set();
  #keys: TopicKeys | undefined;
  #paused = false;
  #closing = false;
  #joining: Promise<void> | undefined;
  #loop: Promise<void> | undefined;
  #shedding = new Set<Promise<void>>();
  /** Leases that could not be given back while closing. */
  #unreleased = 0;

  constructor(options: TopicConsumerOptions) {
    this.#options = options;
    const { client, group, member, prefix, times, subscription, timers, newToken, events } = options;
    const keys = new TopicKeys({ topic: subscription.topic, shards: 1, prefix });
    this.#meeting = new GroupMeeting({
      client,
      topic: subscription.topic,
      group,
      keys: { meta: keys.meta, members: keys.members(group) },
      member,
      pin: subscription.options.pin,
      ttl: times.stored,
    });
    this.#acquirer = new Acquirer({
      scriptsFor: (partition) => new PartitionScripts(client, this.#place(partition)),
      owner: member,
      ttl: times.stored,
      from: subscription.options.from,
      timers,
      newToken,
      events,
      wants: (partition) => !this.#closing && this.#wanted.has(partition) && !this.#lanes.has(partition),
      onAcquired: (scripts, lease, deadline) => {
        this.#open(scripts, lease, deadline);
      },
    });
  }

  get topic(): string {
    return this.#options.subscription.topic;
  }

  get lanes(): readonly Lane[] {
    return [...this.#lanes.values()];
  }

  /** After `close`, also one that has not ended: leases that were not given back for sure. They end by themselves. */
  get unreleased(): number {
    const held = this.lanes.filter(({ state }) => state !== 'ended');
    return held.length + this.#unreleased + this.#acquirer.unclear;
  }

  /**
   * Makes this member one of the group, which nothing is read for before `begin`.
   *
   * @throws RsError `RS_UNKNOWN_TOPIC`, and what the client throws
   */
  join(): Promise<Meeting> {
    const joining = this.#meeting.attend([], []);
    this.#joining = joining.then(nothing, nothing);
    return joining;
  }

  /** Fulfilled when this member has asked for its partitions once. Never rejected. */
  async begin(meeting: Meeting): Promise<void> {
    this.#loop = this.#run(await this.#follow(meeting));
  }

  /** Leaves the group without having begun. */
  async leave(): Promise<void> {
    await this.#meeting.leave();
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

  /**
   * Drains all lanes, gives back their leases and what was being acquired, and leaves the group. Never rejected. Whoever calls it
   * limits its time.
   */
  async close(): Promise<void> {
    this.#stop();
    for (const lane of this.lanes) this.#shed(lane);
    await Promise.all([this.#joining, this.#loop]);
    while (this.#shedding.size > 0) await Promise.all(this.#shedding);
    await this.#acquirer.close();
    if (this.#joining === undefined && this.#loop === undefined) return;
    try {
      await this.#meeting.leave();
    } catch (error) {
      this.#options.events.unreleased(this.#place(0), error);
    }
  }

  /** Tells all handlers to give up. */
  abort(reason: RsError): void {
    for (const lane of this.#lanes.values()) lane.abort(reason);
  }

  /** Ends without waiting for anything; leases end by themselves. */
  destroy(): void {
    this.#stop();
    for (const lane of this.lanes) {
      this.#options.keeper.remove(lane);
      lane.end();
    }
  }

  #stop(): void {
    this.#closing = true;
    this.#wanted = new Set();
    this.#waiter.notify();
    this.#acquirer.stop();
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
    const owned: number[] = [];
    // Another member may have them at once; here, a handler of the lane that was lost still runs.
    const unable: number[] = [];
    for (const [partition, lane] of this.#lanes) (lane.state === 'ended' ? unable : owned).push(partition);
    unable.push(...this.#acquirer.resting.filter((partition) => !this.#lanes.has(partition)));
    const meeting = await this.#meeting.attend(owned, unable);
    return this.#follow(meeting);
  }

  /** Gives up what is others', asks for what is its own. */
  async #follow(meeting: Meeting): Promise<number> {
    if (this.#closing) return 0;
    this.#keys = this.#keysFor(meeting);
    const { subscription, member, rebalanceEvery } = this.#options;
    const { partitions, members } = meeting;
    const assigned = assign({ partitions, members, salt: subscription.topic });
    this.#wanted = new Set(assigned.get(member));
    for (const [partition, lane] of this.#lanes) if (!this.#wanted.has(partition)) this.#shed(lane);
    await Promise.all([...this.#wanted].map((partition) => this.#acquirer.acquire(partition)));
    // What members say is as old as their last look. While a partition has nobody's name on it, they may have come to different
    // results, and nobody want it: until it has, they look often.
    const owned = new Set(members.flatMap((each) => each.owned));
    const complete = [...assigned.values()].flat().every((each) => owned.has(each));
    return Math.min(complete ? rebalanceEvery : UNSETTLED, (meeting.firstExpiry ?? Infinity) + AFTER_EXPIRY);
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
    if (lease.removed > 0) events.entriesMissed(place, lease.removed);
    lane.start();
  }

  /** A lane that ended by itself: its partition may come back once its last handler has returned. */
  async #forget(lane: Lane): Promise<void> {
    const { partition } = lane.scripts.place;
    this.#options.keeper.remove(lane);
    if (lane.settler.stuck) this.#acquirer.rest(partition);
    await lane.quiet();
    if (this.#lanes.get(partition) !== lane) return;
    this.#lanes.delete(partition);
    // It may have been given up while its token stands. Nothing is stored under it any more, so nobody need wait for its end, or
    // take it for a crash; a lease that is another owner's is not touched by this.
    lane.scripts.release(lane.lease.token).catch((error: unknown) => {
      if (!isRsError(error, 'RS_CLOSED')) this.#options.events.unreleased(lane.scripts.place, error);
    });
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
    if (lane.state === 'ended') return;
    lane.retire();
    try {
      await lane.scripts.release(lane.lease.token);
      events.released(place);
    } catch (error) {
      if (this.#closing) this.#unreleased++;
      events.unreleased(place, error);
    }
    if (this.#lanes.get(place.partition) === lane) this.#lanes.delete(place.partition);
    lane.end();
    this.#waiter.notify();
  }

  #keysFor({ shards }: Meeting): TopicKeys {
    if (this.#keys?.shards === shards) return this.#keys;
    return new TopicKeys({ topic: this.topic, shards, prefix: this.#options.prefix });
  }

  #place(partition: number): GroupPartition {
    const { group, prefix } = this.#options;
    const keys = this.#keys ?? new TopicKeys({ topic: this.topic, shards: 1, prefix });
    return groupPartition(keys, partition, group);
  }
}

const nothing = (): void => undefined;

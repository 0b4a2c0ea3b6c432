import { isRsError, silentLogger } from '@rs/core';
import { TopicKeys } from '@rs/redis';
import { codecsOf } from '../codec/codecs.ts';
import type { CloseReport } from '../consumer/consumer.ts';
import { GroupConsumer } from '../consumer/engine/group-consumer.ts';
import type { HandlerContext } from '../consumer/handler.ts';
import { compareIds } from '../consumer/position/entry-id.ts';
import type { BatchOptions, ConsumerSubscriptionOptions } from '../consumer/subscription-options.ts';
import { type Executed, FakeBroker, type Fate } from './fake-broker.ts';
import { FakeTime, FakeTimers } from './fake-timers.ts';
import { pendingIds } from './model-stream.ts';
import { seeded } from './seeded.ts';

export const TOPIC = 'orders';
export const GROUP = 'billing';

/** What a handler does with a message, call by call; the last one is repeated. */
export type Behaviour =
  /** `hang` goes on until its signal is aborted, `stuck` for ever. */
  'ok' | 'throw' | 'retry' | 'dead letter' | 'hang' | 'stuck';

export interface Work {
  readonly n: number;
  readonly behaviours: readonly Behaviour[];
  /** Milliseconds that each call takes; 0: it returns at once. */
  readonly takes: number;
}

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

interface Call {
  readonly member: string;
  readonly partition: number;
  readonly id: string;
  readonly key: string | undefined;
  readonly signal: AbortSignal;
  over: boolean;
}

/** Faults that last for a while. */
export interface Weather {
  /** Share of calls that have a fault. */
  readonly faulty: number;
  /** Milliseconds that a message between a client and Redis takes at most. */
  readonly latency: number;
}

const CALM: Weather = { faulty: 0, latency: 3 };
const FAULTS = ['refused', 'lost', 'no reply', 'late', 'silence'] as const;

/**
 * A group of consumers as they are, with a model of Redis, faults and time by the test's choice. It watches what must hold at every moment
 * and notes what does not.
 */
export class SimulatedGroup {
  readonly time = new FakeTime();
  readonly broker = new FakeBroker(this.time);
  readonly members: Member[] = [];
  readonly violations = new Set<string>();
  /** Ids of messages in the order in which they first succeeded under a valid lease, by partition. */
  readonly succeeded: { partition: number; id: string; key: string | undefined }[] = [];
  readonly sent = new Map<string, { partition: number; key: string | undefined }>();
  readonly redelivered = new Set<string>();
  weather: Weather = CALM;
  readonly #setup: GroupSetup;
  readonly #random: () => number;
  readonly #keys: TopicKeys;
  readonly #running = new Set<Call>();
  readonly #behaved = new Map<number, number>();
  readonly #wasStopped = new Set<string>();
  /** Partitions whose group was destroyed: what was settled above the low watermark comes again. */
  readonly #destroyed = new Set<number>();
  /** Until then owners may not know that Redis has lost their leases. */
  #flushedUntil = 0;
  #members = 0;
  #works = 0;

  constructor(setup: GroupSetup) {
    this.#setup = setup;
    this.#random = seeded(setup.seed);
    this.#keys = new TopicKeys({ topic: TOPIC, shards: setup.partitions });
    this.broker.createTopic(TOPIC, setup.partitions);
    this.broker.fate = (name) => this.#fate(name);
    this.broker.onExecuted = (executed) => {
      this.#watch(executed);
    };
  }

  keys(partition: number) {
    const keys = this.#keys.partition(partition);
    return { stream: keys.log, dead: keys.deadLetters, ...keys.group(GROUP) };
  }

  get partitions(): number[] {
    return Array.from({ length: this.#setup.partitions }, (_, partition) => partition);
  }

  send(key: number | undefined, work: Omit<Work, 'n'>): void {
    const partition = (key ?? this.#works) % this.#setup.partitions;
    const name = key === undefined ? undefined : `k${key}`;
    const id = this.broker.send(this.keys(partition).stream, { n: this.#works++, ...work }, name);
    this.sent.set(`${partition} ${id}`, { partition, key: name });
  }

  /** Starts a process with a consumer in it. */
  async start(): Promise<Member> {
    const name = `m${this.#members++}`;
    const process = new FakeTimers(this.time);
    let ids = 0;
    const { lease, pollTimeout, rebalanceInterval, subscription, batch } = this.#setup;
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
    this.#subscribe(member, subscription, batch);
    this.members.push(member);
    consumer.start().catch(() => {
      // Without Redis a start fails; the process ends, as those of users do.
      if (!member.closing) process.kill();
    });
    await this.time.settle();
    return member;
  }

  alive(): Member[] {
    return this.members.filter(({ process, closed }) => !process.dead && closed === undefined);
  }

  /** Closes a consumer and sees to it that this ends in time. */
  close(member: Member, timeout: number): void {
    const { process, consumer, name } = member;
    if (member.closing) return;
    member.closing = true;
    const deadline = this.time.now + timeout + 500;
    void consumer.close({ timeout }).then((report) => {
      member.closed = report;
    });
    this.time.at(deadline, () => {
      if (member.closed !== undefined || process.dead) return;
      if (process.stopped || this.#wasStopped.has(name)) return;
      this.#violated(`close of ${name} has not ended within ${timeout} ms and 0.5 s`);
    });
  }

  /** Stops a process for a while. */
  stop(member: Member, ms: number): void {
    this.#wasStopped.add(member.name);
    member.process.stop();
    this.time.at(this.time.now + ms, () => {
      member.process.continue();
    });
  }

  /** Removes the group, as an administrator may. */
  destroyGroup(partition: number): void {
    this.#destroyed.add(partition);
    this.broker.redis.streams.get(this.keys(partition).stream)?.groups.delete(GROUP);
  }

  /** Deletes a log with all that is in it. What was sent to it needs not be handled any more. */
  deleteLog(partition: number): void {
    this.broker.redis.delete(this.keys(partition).stream);
    for (const [place, sent] of this.sent) if (sent.partition === partition) this.sent.delete(place);
  }

  /** Redis loses everything but the topic. */
  flush(): void {
    this.#flushedUntil = this.time.now + 2 * this.#setup.lease;
    this.broker.redis.flush();
    this.broker.createTopic(TOPIC, this.#setup.partitions);
    this.sent.clear();
  }

  /** As a replay of dead letters does it. */
  redeliver(partition: number): void {
    const { dead, redelivery } = this.keys(partition);
    const [entry] = this.broker.redis.streams.get(dead)?.entries ?? [];
    if (entry === undefined) return;
    this.redelivered.add(`${partition} ${entry.fields[1]?.toString() ?? ''}`);
    this.broker.redis.add(redelivery, ['o', entry.fields[1] ?? '', ...entry.fields.slice(12)]);
    this.broker.redis.stream(dead).remove([entry.id]);
  }

  deadIds(partition: number): string[] {
    return (this.broker.redis.streams.get(this.keys(partition).dead)?.entries ?? []).map(({ fields }) =>
      String(fields[1]),
    );
  }

  /** What there is still to do, as text; nothing when all is at rest. */
  rest(): string[] {
    return this.partitions.flatMap((partition) => {
      const { stream, lease, retries, attempts, redelivery } = this.keys(partition);
      const { redis } = this.broker;
      const log = redis.streams.get(stream);
      if (log === undefined || log.added.length === 0) return [];
      const group = log.groups.get(GROUP);
      const low = redis.hashes.get(lease)?.get('low');
      const left: string[] = [];
      const note = (what: string, is: boolean): void => {
        if (is) left.push(`partition ${partition}: ${what}`);
      };
      note('no group', group === undefined);
      note('pending', (group?.pending.size ?? 0) > 0);
      note('retries', (redis.sortedSets.get(retries)?.size ?? 0) > 0);
      note('attempts', (redis.hashes.get(attempts)?.size ?? 0) > 0);
      note('redelivery', (redis.streams.get(redelivery)?.entries.length ?? 0) > 0);
      note(`low is ${low}, last is ${log.last}`, low !== log.last);
      return left;
    });
  }

  /** Consumers that have something in their hands although all is done. */
  busy(): string[] {
    return this.alive().flatMap(({ name, consumer }) =>
      consumer
        .status()
        .partitions.filter(({ inFlight, parked }) => inFlight > 0 || parked > 0)
        .map(({ partition }) => `${name} has messages of partition ${partition}`),
    );
  }

  /** Messages that were neither handled nor are dead letters. */
  missing(): string[] {
    const done = new Set(this.succeeded.map(({ partition, id }) => `${partition} ${id}`));
    const dead = new Set(this.partitions.flatMap((p) => this.deadIds(p).map((id) => `${p} ${id}`)));
    return [...this.sent.keys()].filter((place) => !done.has(place) && !dead.has(place));
  }

  /** Messages that a later one of their partition or key was handled before. */
  disordered(by: 'partition' | 'key'): string[] {
    const last = new Map<string, string>();
    return this.succeeded.flatMap(({ partition, id, key }) => {
      const lane = by === 'partition' ? String(partition) : key;
      if (lane === undefined || this.redelivered.has(`${partition} ${id}`)) return [];
      const before = last.get(lane);
      last.set(lane, id);
      return before !== undefined && compareIds(id, before) < 0 ? [`${id} after ${before} in ${lane}`] : [];
    });
  }

  #subscribe(member: Member, options: ConsumerSubscriptionOptions, batch: BatchOptions | undefined): void {
    if (batch === undefined) {
      const manual = options.ack === 'manual';
      member.consumer.subscribe<Work, Work>(
        TOPIC,
        (message, context) => this.#handle(member, message, context, manual),
        options,
      );
      return;
    }
    member.consumer.subscribeBatch<Work, Work>(
      TOPIC,
      async (messages, { signal, attempts, group }) => {
        const parts = messages.map((message, at) => {
          const context = {
            signal,
            attempt: attempts[at] ?? 0,
            group,
            ack: () => undefined,
            settle: () => undefined,
          };
          return Promise.resolve(this.#handle(member, message, context, false)).catch(() => 'RETRY' as const);
        });
        return await Promise.all(parts);
      },
      { ...options, ...batch },
    );
  }

  #handle(
    member: Member,
    message: { id: string; partition: number; key: string | undefined; value: Work },
    context: HandlerContext,
    manual: boolean,
  ): Promise<undefined | 'RETRY' | 'DEAD_LETTER'> | undefined {
    const { id, partition, key, value } = message;
    const call: Call = { member: member.name, partition, id, key, signal: context.signal, over: false };
    this.#started(call, context.attempt);
    const behaved = this.#behaved.get(value.n) ?? 0;
    this.#behaved.set(value.n, behaved + 1);
    const behaviour = value.behaviours[Math.min(behaved, value.behaviours.length - 1)] ?? 'ok';
    const succeed = (): undefined => {
      this.#ended(call);
      // What ends after its time is over, or under a lease that is another's, does not count: it comes again.
      const isOver = isRsError(context.signal.reason, 'RS_HANDLER_TIMEOUT');
      if (this.#ownerOf(partition) === member.name && !isOver) this.#succeed(partition, id, key);
    };
    if (behaviour === 'ok' && !manual && value.takes === 0) return succeed();
    return new Promise((resolve, reject) => {
      const end = (how: () => void) => () => {
        this.#ended(call);
        how();
      };
      const { process } = member;
      if (behaviour === 'stuck') return;
      if (behaviour === 'hang') {
        context.signal.addEventListener(
          'abort',
          end(() => reject(context.signal.reason)),
        );
      } else if (manual && behaviour !== 'throw') {
        resolve(undefined);
        process.after(
          value.takes,
          end(() => {
            if (behaviour === 'ok') {
              succeed();
              context.ack();
            } else if (behaviour === 'retry') context.settle({ type: 'retry' });
            else context.settle({ type: 'deadLetter', reason: 'so it is' });
          }),
        );
      } else {
        process.after(
          value.takes,
          end(() => {
            if (behaviour === 'ok') resolve(succeed());
            else if (behaviour === 'throw') reject(new Error('no luck'));
            else resolve(behaviour === 'retry' ? 'RETRY' : 'DEAD_LETTER');
          }),
        );
      }
    });
  }

  #started(call: Call, attempt: number): void {
    const { member, partition, id, key } = call;
    const { redis } = this.broker;
    const what = `handler of ${id}, partition ${partition}, started by ${member} at ${this.time.now}`;
    const { lease, attempts } = this.keys(partition);
    const owner = this.#ownerOf(partition);
    if (owner !== member && this.time.now >= this.#flushedUntil) {
      this.#violated(
        `${what}: the owner is ${owner}, lease ${JSON.stringify(Object.fromEntries(redis.hash(lease)))}`,
      );
    }
    const { retry, ordering = 'partition' } = this.#setup.subscription;
    if (attempt > (retry?.maxAttempts ?? 5)) this.#violated(`${what}: attempt ${attempt}`);
    const stored = Number(redis.hashes.get(attempts)?.get(id) ?? 0);
    if (attempt <= stored) this.#violated(`${what}: attempt ${attempt} though ${stored} have failed`);
    const { batch, subscription } = this.#setup;
    for (const other of this.#running) {
      if (other.member !== member || other.partition !== partition || other.signal.aborted) continue;
      if (batch !== undefined || subscription.ack === 'manual') continue;
      const free = ordering === 'none' || (ordering === 'key' && (key === undefined || key !== other.key));
      if (!free) this.#violated(`${what} while that of ${other.id} runs`);
    }
    this.#running.add(call);
  }

  #ended(call: Call): void {
    call.over = true;
    this.#running.delete(call);
  }

  #succeed(partition: number, id: string, key: string | undefined): void {
    if (this.succeeded.some((one) => one.partition === partition && one.id === id)) return;
    this.succeeded.push({ partition, id, key });
  }

  /** Name of the member whose lease is valid. */
  #ownerOf(partition: number): string | undefined {
    const lease = this.broker.redis.hashes.get(this.keys(partition).lease);
    if (lease?.get('token') === undefined || Number(lease.get('until')) <= this.broker.redis.now)
      return undefined;
    return lease.get('owner')?.split('-')[0];
  }

  #watch({ client, call, reply }: Executed): void {
    const status: unknown = Array.isArray(reply) ? reply[0] : reply;
    const { name } = call.script;
    if (String(status) !== 'OK' || !['settle-messages', 'fetch-entries', 'take-over-pending'].includes(name))
      return;
    const partition = this.partitions.find((each) => this.keys(each).stream === call.keys[0]) ?? 0;
    const lease = this.broker.redis.hash(this.keys(partition).lease);
    if (lease.get('owner')?.split('-')[0] !== client)
      this.#violated(`${name} of ${client}, which is not the owner`);
    const low = lease.get('low') ?? '0-0';
    const group = this.broker.redis.group(this.keys(partition).stream, GROUP);
    if (group === undefined) return;
    const [first] = pendingIds(group);
    if (first !== undefined && compareIds(first, low) <= 0)
      this.#violated(`low is ${low}, and ${first} is pending`);
    if (compareIds(group.delivered, low) < 0)
      this.#violated(`low is ${low}, delivered is ${group.delivered}`);
    const dead = this.deadIds(partition);
    if (new Set(dead).size < dead.length)
      this.#violated(`dead letters of partition ${partition}: ${dead.join(' ')}`);
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

  #violated(what: string): void {
    this.violations.add(what);
  }
}

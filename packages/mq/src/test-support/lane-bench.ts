import { type RsError, silentLogger, topic } from '@rs/core';
import type { RedisClient } from '@rs/redis';
import { TopicKeys } from '@rs/redis';
import { codecsOf } from '../codec/codecs.ts';
import { decoderFor } from '../consumer/decode.ts';
import type { HandlerContext } from '../consumer/handler.ts';
import { BatchRunner } from '../consumer/lane/batch-runner.ts';
import type { LaneEvents } from '../consumer/lane/lane-events.ts';
import { Lane } from '../consumer/lane/lane.ts';
import { MessageRunner } from '../consumer/lane/message-runner.ts';
import type { HandlerResult } from '../consumer/outcome.ts';
import { resolveBatch } from '../consumer/options/batch.ts';
import { resolveSubscription } from '../consumer/options/subscription.ts';
import type { GroupPartition } from '../consumer/partition/group-partition.ts';
import { PartitionScripts } from '../consumer/partition/partition-scripts.ts';
import type { BatchOptions, ConsumerSubscriptionOptions } from '../consumer/subscription-options.ts';
import { FakeBroker } from './fake-broker.ts';
import { FakeTime, FakeTimers } from './fake-timers.ts';

/** A call of the handler, which the test lets end. */
export interface HeldCall {
  readonly value: unknown;
  readonly context: HandlerContext;
  end(result?: HandlerResult): Promise<void>;
  fail(error: unknown): Promise<void>;
}

/** A call of a batch handler. */
export interface HeldBatch {
  readonly values: readonly unknown[];
  readonly attempts: readonly number[];
  end(results?: readonly HandlerResult[]): Promise<void>;
}

export type LaneBenchOptions = ConsumerSubscriptionOptions & { readonly batch?: BatchOptions };

/** A partition in a model of Redis and lanes on it, one owner after another, in simulated time. */
export class LaneBench {
  readonly time = new FakeTime();
  readonly timers = new FakeTimers(this.time);
  readonly broker = new FakeBroker(this.time);
  readonly place: GroupPartition;
  /** Calls of handlers in the order in which they started. With `auto` they have ended at once. */
  readonly calls: HeldCall[] = [];
  readonly batches: HeldBatch[] = [];
  /** What was told, as `what id`. */
  readonly told: string[] = [];
  readonly errors: unknown[] = [];
  /** Where the lane asked to be rung from, while it does. It is rung for what is there by then; for what comes later the test rings. */
  watching: { readonly after: string; readonly again: string } | undefined;
  ends = 0;
  /** Handlers return at once. */
  auto = false;
  readonly #options: LaneBenchOptions;
  readonly #client: RedisClient;
  #tokens = 0;

  constructor(options: LaneBenchOptions = {}) {
    this.#options = options;
    this.#client = this.broker.client(this.timers);
    const partition = new TopicKeys({ topic: 'orders', shards: 1 }).partition(0);
    const { log: stream, holds, deadLetters: dead } = partition;
    const { lease, retries, attempts, redelivery } = partition.group('billing');
    this.place = {
      topic: 'orders',
      partition: 0,
      group: 'billing',
      tag: '{orders#0}',
      keys: { stream, holds, dead, lease, retries, attempts, redelivery },
    };
  }

  get redis() {
    return this.broker.redis;
  }

  /** Values of the calls of handlers so far. */
  get handled(): unknown[] {
    return this.calls.map(({ value }) => value);
  }

  get lease(): Readonly<Record<string, string>> {
    return Object.fromEntries(this.redis.hash(this.place.keys.lease));
  }

  get pending(): string[] {
    return [...(this.redis.group(this.place.keys.stream, this.place.group)?.pending.keys() ?? [])];
  }

  /** Fields of the dead letters by name. */
  get dead(): Record<string, string>[] {
    return (this.redis.streams.get(this.place.keys.dead)?.entries ?? []).map(({ fields }) => {
      const names = fields.filter((_, at) => at % 2 === 0);
      return Object.fromEntries(
        names.map((name, at) => [name.toString(), fields[2 * at + 1]?.toString() ?? '']),
      );
    });
  }

  /** Attempts that failed, as they are stored; without the delays beside them. */
  get attempts(): Record<string, string> {
    const stored = [...this.redis.hash(this.place.keys.attempts)];
    return Object.fromEntries(stored.map(([id, value]) => [id, value.split(' ')[0] ?? '']));
  }

  /** Sends values to the partition; returns their ids. */
  send(...values: readonly (string | number)[]): string[] {
    return values.map((value) => this.broker.send(this.place.keys.stream, value));
  }

  /** Makes a process the owner, as it was before, and as it comes back: with the ids of a test in `started`. */
  async acquire({ paused = false, ttl = 60_000 } = {}): Promise<Lane> {
    const scripts = new PartitionScripts(this.#client, this.place);
    const sentAt = this.time.now;
    const token = `token ${this.#tokens++}`;
    const reply = await scripts.acquire({ token, owner: 'me', ttl, from: '0-0' });
    if (reply.type === 'busy') throw new Error('another owner has it');
    const { batch: batchOptions, ...options } = this.#options;
    const subscription = resolveSubscription(options);
    const lane: Lane = new Lane({
      scripts,
      subscription,
      lease: reply.lease,
      batch: batchOptions === undefined ? undefined : resolveBatch(batchOptions, subscription),
      makeRunner: (host) => {
        const decode = decoderFor(topic('orders'), codecsOf(), 0);
        const common = {
          decode,
          group: 'billing',
          timers: this.timers,
          timeout: subscription.handlerTimeout,
        };
        if (batchOptions === undefined) {
          return new MessageRunner(
            { ...common, ack: subscription.ack, handler: ({ value }, context) => this.#call(value, context) },
            host,
          );
        }
        const handler = (
          messages: readonly { value: unknown }[],
          { attempts }: { attempts: readonly number[] },
        ) =>
          this.#callBatch(
            messages.map(({ value }) => value),
            attempts,
          );
        return new BatchRunner({ ...common, handler }, host);
      },
      bell: {
        watch: (after, again) => {
          this.watching = { after, again };
          const { stream, redelivery } = this.place.keys;
          const there = (key: string, id: string) =>
            this.redis.streams.get(key)?.range(id, undefined, 1).length === 1;
          if (there(stream, after) || there(redelivery, again)) {
            this.timers.soon(() => {
              lane.ring();
            });
          }
        },
        unwatch: () => {
          this.watching = undefined;
        },
      },
      timers: this.timers,
      random: () => 0,
      logger: silentLogger,
      events: this.#events(),
      deadline: sentAt + ttl,
      paused,
      onEnd: () => {
        this.ends++;
      },
    });
    return lane;
  }

  /** A lane that has read what there is. */
  async run(options?: Parameters<LaneBench['acquire']>[0]): Promise<Lane> {
    const lane = await this.acquire(options);
    lane.start();
    await this.time.settle();
    return lane;
  }

  /** As the doorbell does when there is something new. */
  async ring(lane: Lane): Promise<void> {
    lane.ring();
    await this.time.settle();
  }

  /** The lease ends, as after a crash, so that another owner may come. */
  expire(): void {
    this.redis.hash(this.place.keys.lease).set('until', '0');
  }

  #call(value: unknown, context: HandlerContext): Promise<HandlerResult> | undefined {
    const settle = () => this.time.settle();
    if (this.auto) {
      this.calls.push({ value, context, end: settle, fail: settle });
      return undefined;
    }
    return new Promise((resolve, reject) => {
      this.calls.push({
        value,
        context,
        end: (result) => {
          resolve(result);
          return settle();
        },
        fail: (error) => {
          reject(error);
          return settle();
        },
      });
    });
  }

  #callBatch(
    values: readonly unknown[],
    attempts: readonly number[],
  ): Promise<readonly HandlerResult[] | undefined> {
    return new Promise((resolve) => {
      this.batches.push({
        values,
        attempts,
        end: (results) => {
          resolve(results);
          return this.time.settle();
        },
      });
    });
  }

  #events(): LaneEvents {
    const tell = (what: string): void => {
      this.told.push(what);
    };
    return {
      acquired: () => undefined,
      released: () => undefined,
      retried: (_, id, failed) => {
        tell(`retried ${id} ${failed}`);
      },
      dead: (_, id, reason) => {
        tell(`dead ${id} ${reason}`);
      },
      entriesLost: (_, ids) => {
        tell(`lost ${ids.join(' ')}`);
      },
      entriesMissed: (_, count) => {
        tell(`missed ${count}`);
      },
      lost: (_, error) => {
        this.errors.push(error);
        tell(`lane lost: ${(error as RsError).code}`);
      },
      policyFailed: () => {
        tell('policy failed');
      },
      unreleased: (_, error) => {
        this.errors.push(error);
      },
      trouble: (_, what, error) => {
        tell(`trouble ${what}: ${(error as RsError).code}`);
      },
    };
  }
}

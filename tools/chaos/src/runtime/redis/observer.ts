import type { Redis } from 'ioredis';
import { type PartitionKeys, TopicKeys } from '@rs/redis';
import { observingRedis } from '../../redis/observing-redis.ts';
import { factsOf } from '../../redis/facts-of.ts';
import { streamEntries } from '../../redis/stream-entries.ts';
import type { ClockTimerResult, Count, LateRecord, TimerResult, WindowResult } from '../load/results.ts';
import { LOAD } from '../load/settings.ts';
import type { DeadLetter, LogEntry, PartitionResults, Results, TaskState } from './stored.ts';

/** The only task of a partition, as its keys name it. */
const TASK = `${LOAD.job}:${LOAD.source}`;

/** Looks at what Redis holds, over a connection that no fault is aimed at. */
export class Observer {
  readonly #redis: Redis;
  readonly #partitions = partitionsOf(LOAD);

  constructor(port: number) {
    this.#redis = observingRedis(port);
  }

  close(): void {
    this.#redis.disconnect();
  }

  /** Whether each partition has an owner. */
  async owned(): Promise<boolean> {
    const tokens = await Promise.all(this.#partitions.map((keys) => this.#token(keys)));
    return tokens.every((token) => token !== null);
  }

  async tasks(): Promise<TaskState[]> {
    return Promise.all(this.#partitions.map((keys) => this.#task(keys)));
  }

  async log(): Promise<LogEntry[]> {
    const entries: LogEntry[] = [];
    for (const { partition, log } of this.#partitions) {
      for await (const { id, fields } of streamEntries(this.#redis, log)) {
        const { n } = JSON.parse(String(fields.get('d'))) as { readonly n: number };
        const time = Number(String(fields.get('m')).split(',').at(-1));
        entries.push({ partition, id, key: String(fields.get('k')), n, time });
      }
    }
    return entries;
  }

  async results(): Promise<Results> {
    const [partitions, countsTopic, windowsTopic] = await Promise.all([
      Promise.all(this.#partitions.map((keys) => this.#partition(keys))),
      this.#topic<Count>(LOAD.counts),
      this.#topic<WindowResult>(LOAD.windows),
    ]);
    return { partitions, countsTopic, windowsTopic };
  }

  async deadLetters(): Promise<DeadLetter[]> {
    const letters: DeadLetter[] = [];
    for (const { partition, deadLetters } of this.#partitions) {
      for await (const { fields } of streamEntries(this.#redis, deadLetters)) {
        letters.push({ partition, original: String(fields.get('o')), error: String(fields.get('e')) });
      }
    }
    return letters;
  }

  async #token({ log }: PartitionKeys): Promise<string | null> {
    return this.#redis.hget(`${log}:t:${TASK}:own`, 'token');
  }

  async #task(keys: PartitionKeys): Promise<TaskState> {
    const [token, info, groups, held] = await Promise.all([
      this.#token(keys),
      this.#redis.xinfo('STREAM', keys.log) as Promise<unknown[]>,
      this.#redis.xinfo('GROUPS', keys.log) as Promise<unknown[][]>,
      this.#redis.hget(keys.holds, `t:${TASK}`),
    ]);
    const group = groups.map(factsOf).find((each) => each.get('name') === LOAD.group);
    const lag = group?.get('lag');
    return {
      ...{ partition: keys.partition, held: held ?? '', owned: token !== null },
      last: String(factsOf(info).get('last-generated-id')),
      delivered: group === undefined ? undefined : String(group.get('last-delivered-id')),
      lag: typeof lag === 'number' ? lag : undefined,
    };
  }

  async #partition({ partition, log }: PartitionKeys): Promise<PartitionResults> {
    const kept = (name: string): string => `${log}:k:${LOAD.job}:${name}`;
    const [counts, windows, late, sessions, timers, clockTimers] = await Promise.all([
      this.#redis.hgetall(kept('counts')),
      this.#redis.hgetall(kept('windows')),
      this.#stream<LateRecord>(kept('late')),
      this.#stream<WindowResult>(kept('sessions')),
      this.#stream<TimerResult>(kept('timers')),
      this.#stream<ClockTimerResult>(kept('clock-timers')),
    ]);
    return {
      ...{ partition, late, sessions, timers, clockTimers },
      counts: parsed<number>(counts),
      windows: parsed<WindowResult>(windows),
    };
  }

  async #stream<T>(key: string): Promise<T[]> {
    return this.#values<T>(key, 'value');
  }

  async #topic<T>(settings: TopicSettings): Promise<T[][]> {
    return Promise.all(partitionsOf(settings).map(({ log }) => this.#values<T>(log, 'd')));
  }

  async #values<T>(stream: string, field: string): Promise<T[]> {
    const values: T[] = [];
    for await (const { fields } of streamEntries(this.#redis, stream)) {
      values.push(JSON.parse(String(fields.get(field))) as T);
    }
    return values;
  }
}

interface TopicSettings {
  readonly topic: string;
  readonly partitions: number;
}

function partitionsOf({ topic, partitions }: TopicSettings): PartitionKeys[] {
  const keys = new TopicKeys({ topic, shards: partitions });
  return Array.from({ length: partitions }, (_, partition) => keys.partition(partition));
}

function parsed<T>(hash: Readonly<Record<string, string>>): Record<string, T> {
  return Object.fromEntries(Object.entries(hash).map(([field, value]) => [field, JSON.parse(value) as T]));
}

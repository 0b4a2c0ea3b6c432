import { afterAll, afterEach } from '@jest/globals';
import type { Logger } from '@rs/core';
import type { RedisServer } from '@rs/redis-server';
import { type PartitionKeys, TopicKeys } from '@rs/redis';
import { Redis } from 'ioredis';
import { type Mq, type MqOptions, createMq } from '../mq.ts';
import { systemIds } from '../random.ts';

export interface LogLine {
  readonly level: 'debug' | 'info' | 'warn' | 'error';
  readonly facts: Readonly<Record<string, unknown>>;
  readonly message: string;
}

/** What the tests of a file share: message queues that are closed after each test, and a look behind them. */
export interface MqBench {
  /** A message queue with connections of its own, as another process has them. */
  mq(options?: Partial<MqOptions> & { readonly url?: string }): Mq;
  /** A new topic. */
  topic(partitions?: number): Promise<string>;
  partitions(topic: string): number;
  /** Everything that was logged in this test. */
  readonly log: readonly LogLine[];
  /** A connection for looking at Redis, and for doing to it what others do. */
  readonly redis: Redis;
  /** The keys of a topic that was made here. */
  keys(topic: string, partition?: number): PartitionKeys;
  pending(topic: string, group: string, partition?: number): Promise<number>;
  /** Names of Redis consumers in the group. */
  consumers(topic: string, group: string, partition?: number): Promise<string[]>;
  /** Fields of a group's lease and position. */
  lease(topic: string, group: string, partition?: number): Promise<Record<string, string>>;
  /** Dead letters of a partition, oldest first: their fields by name. */
  dead(topic: string, partition?: number): Promise<Record<string, string>[]>;
}

/** Call it at the top of a file, with the server that `useRedis` gives. */
export function useMq(server: () => Pick<RedisServer, 'url'>): MqBench {
  const open: Mq[] = [];
  const log: LogLine[] = [];
  const partitionsOf = new Map<string, number>();
  let admin: Redis | undefined;
  const redis = (): Redis => (admin ??= new Redis(server().url, { disconnectTimeout: 10 }));
  const write =
    (level: LogLine['level']): Logger['info'] =>
    (facts, message = '') => {
      log.push({ level, facts: { ...facts }, message });
    };
  const logger: Logger = {
    debug: write('debug'),
    info: write('info'),
    warn: write('warn'),
    error: write('error'),
  };
  const keys = (topic: string, partition = 0): PartitionKeys =>
    new TopicKeys({ topic, shards: partitionsOf.get(topic) ?? 1 }).partition(partition);

  afterEach(async () => {
    await Promise.all(open.splice(0).map((mq) => mq.close({ timeout: 2_000 })));
    log.length = 0;
  });
  afterAll(() => {
    admin?.disconnect();
  });

  return {
    log,
    keys,
    partitions: (topic) => partitionsOf.get(topic) ?? 1,
    get redis() {
      return redis();
    },
    mq: ({ url, ...options } = {}) => {
      const mq = createMq({
        redis: new Redis(url ?? server().url, { lazyConnect: true }),
        logger,
        ...options,
      });
      open.push(mq);
      return mq;
    },
    topic: async (partitions = 1) => {
      // With REDIS_URL all files share one server.
      const name = `t${partitionsOf.size}-${systemIds()}`;
      partitionsOf.set(name, partitions);
      const mq = createMq({ redis: new Redis(server().url, { lazyConnect: true }) });
      await mq.topics.ensure(name, { partitions });
      await mq.close();
      return name;
    },
    pending: async (topic, group, partition) => {
      const summary = await redis().xpending(keys(topic, partition).log, group);
      return Number(summary[0]);
    },
    consumers: async (topic, group, partition) => {
      const all = (await redis().xinfo('CONSUMERS', keys(topic, partition).log, group)) as string[][];
      return all.map((facts) => String(facts[facts.indexOf('name') + 1]));
    },
    lease: (topic, group, partition) => redis().hgetall(keys(topic, partition).group(group).lease),
    dead: async (topic, partition) => {
      const entries = await redis().xrange(keys(topic, partition).deadLetters, '-', '+');
      return entries.map(([, fields]) => fieldsByName(fields));
    },
  };
}

export function fieldsByName(fields: readonly string[]): Record<string, string> {
  const byName: Record<string, string> = {};
  for (let at = 0; at < fields.length; at += 2) byName[String(fields[at])] = String(fields[at + 1]);
  return byName;
}

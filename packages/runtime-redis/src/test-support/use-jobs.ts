import { afterAll, afterEach } from '@jest/globals';
import { defineJob, type Logger, type StreamEnvironment, topic } from '@rs/core';
import { createMq, type DeadLetter, type Mq, type NewMessage, systemIds } from '@rs/mq';
import { eventually, FaultProxy, type RedisServer } from '@rs/redis-server';
import { Redis } from 'ioredis';
import { RedisStreamExecutionEnvironment } from '../environment/environment.ts';
import type { RedisJobClient } from '../job/client.ts';
import type { RedisRuntimeConfig } from '../options/config.ts';
import { resolveSettings } from '../options/resolve.ts';
import type { RuntimeSettings } from '../options/settings.ts';
import { sinkKeys } from '../sink/slot/sink-keys.ts';

export interface LogLine {
  readonly level: 'debug' | 'info' | 'warn' | 'error';
  readonly facts: Readonly<Record<string, unknown>>;
  readonly message: string;
}

/** A process of a job: a client with connections of its own, which can die. */
export interface JobProcess {
  readonly client: RedisJobClient;
  /** The network between it and Redis. */
  readonly network: FaultProxy;
  /** As SIGKILL, for Redis: its connections end, none is made again, and nothing is given back. */
  kill(): Promise<void>;
}

export interface JobsBench {
  readonly prefix: string;
  /** Of the jobs that this test starts, unless it says otherwise. */
  readonly jobName: string;
  readonly mq: Mq;
  /** A connection for looking at Redis, and for doing to it what others do. */
  readonly redis: Redis;
  /** Everything that was logged in this test. */
  readonly log: readonly LogLine[];
  /** A new topic. */
  topic(partitions?: number): Promise<string>;
  send(topic: string, messages: readonly NewMessage<unknown>[]): Promise<void>;
  /** @param hidden settings that users cannot choose */
  start(
    define: (env: StreamEnvironment) => void,
    config?: RedisRuntimeConfig,
    hidden?: Partial<RuntimeSettings>,
  ): Promise<JobProcess>;
  /** What is in a `redisStream` without `fields`, partition by partition; of this test's job and the sink 'results' unless it says otherwise. */
  results(topic: string, options?: { readonly job?: string; readonly sink?: string }): Promise<string[]>;
  deadLetters(topic: string): Promise<DeadLetter<unknown>[]>;
  /** The server's time, in epoch milliseconds. */
  now(): Promise<number>;
}

/** Tests need not wait for what is long in production. */
const QUICK: RedisRuntimeConfig = {
  lease: 1_000,
  retry: { attempts: 3, initialBackoff: 1, maxBackoff: 5 },
};

/** What the tests of a file share: topics, and jobs that are cancelled after each test. Call it with the server that `useRedis` gives. */
export function useJobs(server: () => Pick<RedisServer, 'url'>): JobsBench {
  const running: (JobProcess & { readonly dead: () => boolean })[] = [];
  const log: LogLine[] = [];
  let made = 0;
  let tests = 0;
  let opened: { readonly mq: Mq; readonly redis: Redis; readonly prefix: string } | undefined;
  const open = () => {
    if (opened !== undefined) return opened;
    const prefix = `jobs-${systemIds()}`;
    const mq = createMq({ redis: new Redis(server().url, { lazyConnect: true }), prefix });
    return (opened = { mq, redis: new Redis(server().url, { disconnectTimeout: 10 }), prefix });
  };
  const write =
    (level: LogLine['level']): Logger['info'] =>
    (facts, message = '') => {
      log.push({ level, facts: { ...facts }, message });
    };
  const logger = { debug: write('debug'), info: write('info'), warn: write('warn'), error: write('error') };

  afterEach(async () => {
    await Promise.all(
      running.splice(0).map(async ({ client, network, dead }) => {
        // Redis cannot hear from one that is dead.
        await client.cancel({ timeout: dead() ? 1 : 2_000 });
        await network.close();
      }),
    );
    log.length = 0;
    tests++;
  });
  afterAll(async () => {
    await opened?.mq.close();
    opened?.redis.disconnect();
  });

  return {
    log,
    get prefix() {
      return open().prefix;
    },
    get jobName() {
      return `job${tests}`;
    },
    get mq() {
      return open().mq;
    },
    get redis() {
      return open().redis;
    },
    topic: async (partitions = 1) => {
      const name = `t${made++}`;
      await open().mq.topics.ensure(name, { partitions });
      return name;
    },
    send: async (name, messages) => {
      await open().mq.producer().sendBatch(name, messages);
    },
    results: async (name, { job = `job${tests}`, sink = 'results' } = {}) => {
      const { mq, redis, prefix } = open();
      const keys = sinkKeys(await mq.topics.describe(name), { job, sink, prefix });
      const streams = await Promise.all(keys.map((key) => redis.xrange(key, '-', '+')));
      return streams.flat().map(([, fields]) => String(fields[1]));
    },
    deadLetters: async (name) => {
      const letters = [];
      for await (const letter of open().mq.deadLetters(name).list()) letters.push(letter);
      return letters;
    },
    now: async () => {
      const [seconds, micros] = await open().redis.time();
      return Number(seconds) * 1_000 + Math.floor(Number(micros) / 1_000);
    },
    start: async (define, config, hidden) => {
      const { hostname, port } = new URL(server().url);
      const network = await FaultProxy.start({ to: { host: hostname, port: Number(port) } });
      const connection = new Redis(network.port, network.host, { lazyConnect: true });
      const settings = resolveSettings({
        ...QUICK,
        jobName: `job${tests}`,
        prefix: open().prefix,
        logger,
        ...config,
      });
      const env = RedisStreamExecutionEnvironment.with(connection, { ...settings, ...hidden });
      const client = await env.run(defineJob(define));
      let isDead = false;
      const kill = (): Promise<void> => {
        isDead = true;
        return network.close();
      };
      const started = { client, network, kill, dead: () => isDead };
      running.push(started);
      return started;
    },
  };
}

/** Numbers as values, with their time. */
export function numbers(...values: readonly number[]): NewMessage<number>[] {
  return values.map((value) => ({ key: 'k', value, timestamp: value }));
}

/** Texts of warnings and errors, but for what is said of the server of these tests. */
export function complaints(log: readonly LogLine[]): string[] {
  return log
    .filter(({ level, facts }) => (level === 'warn' || level === 'error') && facts['code'] !== 'persistence')
    .map(({ message }) => message);
}

/** A topic of numbers. */
export const numbersOf = (name: string) => topic<number>(name);

/** Waits until it is so, asking again and again. @throws Error after `timeout` milliseconds */
export async function until(
  what: string,
  isSo: () => boolean | Promise<boolean>,
  timeout = 10_000,
): Promise<void> {
  await eventually(what, async () => ((await isSo()) ? true : undefined), {
    timeout,
    tolerate: () => false,
  });
}

import { afterAll, afterEach } from '@jest/globals';
import { systemIds } from '@rs/mq';
import { createRedisClient, type RedisClient, type RedisClientOptions } from '@rs/redis';
import type { RedisServer } from '@rs/redis-server';
import { Redis } from 'ioredis';
import type { TaskKeys } from '../keys/task-keys.ts';
import type { TaskPlace } from '../keys/task-place.ts';
import { acquireTask, type AcquireOptions } from '../store/acquire-task.ts';
import type { TaskLease } from '../store/task-lease.ts';
import { TaskStore } from '../store/task-store.ts';

/** What the tests of a file share: clients that are closed after each test, and a look behind them. */
export interface StoreBench {
  /** A client with connections of its own, as another process has them. */
  client(options?: RedisClientOptions & { readonly port?: number }): RedisClient;
  /** A task that nobody had before. */
  place(parts?: Partial<TaskPlace>): TaskPlace;
  /** Acquires a task; it fails when somebody else has it. */
  acquire(place: TaskPlace, options?: Partial<AcquireOptions>): Promise<Acquired>;
  /** A connection for looking at Redis, and for doing to it what others do. */
  readonly redis: Redis;
}

export interface Acquired {
  readonly lease: TaskLease;
  readonly store: TaskStore;
  readonly keys: TaskKeys;
}

/** Long enough for any test. */
export const LONG = 600_000;

/** Call it at the top of a file, with the server that `useRedis` gives. */
export function useStore(server: () => Pick<RedisServer, 'url' | 'host'>): StoreBench {
  const open: RedisClient[] = [];
  let admin: Redis | undefined;
  let shared: RedisClient | undefined;
  let places = 0;

  afterEach(async () => {
    shared = undefined;
    await Promise.all(open.splice(0).map((client) => client.close()));
  });
  afterAll(() => {
    admin?.disconnect();
  });

  const bench: StoreBench = {
    get redis() {
      return (admin ??= new Redis(server().url, { disconnectTimeout: 10 }));
    },
    client: ({ port, ...options } = {}) => {
      const redis =
        port === undefined
          ? new Redis(server().url, { lazyConnect: true })
          : new Redis({ host: server().host, port, lazyConnect: true });
      const client = createRedisClient(redis, options);
      open.push(client);
      return client;
    },
    place: (parts = {}) => ({
      prefix: 'rs',
      job: 'job',
      task: 'source-0',
      // With REDIS_URL all files share one server.
      topic: `store-${systemIds()}`,
      partition: 0,
      topicShards: 1,
      group: 'group',
      stateShards: 4,
      ...parts,
    }),
    acquire: async (place, options = {}) => {
      const client = (shared ??= bench.client());
      const token = options.token ?? `token-${++places}`;
      const reply = await acquireTask(client, place, { token, owner: 'tests', ttl: LONG, ...options });
      if (reply.type !== 'acquired') throw new Error(`the task belongs to ${reply.owner}`);
      const store = new TaskStore({ client, place, token });
      return { lease: reply.lease, store, keys: store.keys };
    },
  };
  return bench;
}

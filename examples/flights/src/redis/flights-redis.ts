import { randomBytes } from 'node:crypto';
import { startRedis } from '@rs/redis-server';
import { Redis } from 'ioredis';
import { DemoFailure } from '../failure.ts';

/** A Redis for one run of the demo. */
export interface FlightsRedis {
  readonly url: string;
  readonly redis: Redis;
  /** What all keys of the run begin with. */
  readonly prefix: string;
  /** Removes the keys of the run, and ends the server if it was started here. */
  close(): Promise<void>;
}

/**
 * The Redis of `REDIS_URL`, else one that is found or fetched, and started.
 *
 * @throws DemoFailure when there is none; the message says how to get one
 */
export async function openRedis(): Promise<FlightsRedis> {
  const server = await startServer();
  const redis = new Redis(server.url);
  const prefix = `flights-${randomBytes(6).toString('hex')}`;
  return {
    url: server.url,
    redis,
    prefix,
    close: async () => {
      try {
        await removeKeys(redis, prefix);
      } finally {
        redis.disconnect();
        await server.stop();
      }
    },
  };
}

async function startServer(): ReturnType<typeof startRedis> {
  try {
    return await startRedis();
  } catch (error) {
    throw new DemoFailure((error as Error).message, { cause: error });
  }
}

async function removeKeys(redis: Redis, prefix: string): Promise<void> {
  const pages = redis.scanStream({ match: `${prefix}:*`, count: 1_000 }) as AsyncIterable<string[]>;
  for await (const keys of pages) {
    if (keys.length > 0) await redis.unlink(...keys);
  }
}

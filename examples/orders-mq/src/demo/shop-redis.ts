import { startRedis } from '@rs/redis-server';
import { Redis } from 'ioredis';
import { DemoFailure } from './failure.ts';

/** A Redis, and a connection to it for the demo itself. */
export interface ShopRedis {
  readonly url: string;
  readonly redis: Redis;
  /** Removes every key that begins with `prefix:`, and ends the connection, and the server if it was started here. */
  close(prefix: string): Promise<void>;
}

const TIMEOUT_MS = 5_000;

/**
 * @param url a server that runs already. Default: that of `REDIS_URL`, else one that is found or fetched, and started
 * @throws DemoFailure when there is none; the message says how to get one
 */
export async function openRedis(url: string | undefined): Promise<ShopRedis> {
  const server =
    url === undefined ? await startServer() : { url, stop: async (): Promise<void> => undefined };
  const redis = new Redis(server.url, {
    lazyConnect: true,
    connectTimeout: TIMEOUT_MS,
    commandTimeout: TIMEOUT_MS,
    retryStrategy: () => null,
  });
  let failure: Error | undefined;
  // Commands fail too, but do not say why.
  redis.on('error', (error) => (failure = error));
  try {
    await redis.connect();
  } catch (error) {
    redis.disconnect();
    await server.stop();
    const { hostname, port } = new URL(server.url);
    const reason = failure ?? error;
    const text = reason instanceof Error ? reason.message || reason.name : String(reason);
    throw new DemoFailure(`no connection to the Redis at ${hostname}:${port || 6379}: ${text}`, {
      cause: reason,
    });
  }
  return {
    url: server.url,
    redis,
    close: async (prefix) => {
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

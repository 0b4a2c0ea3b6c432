import type { Redis } from 'ioredis';

export async function removeKeys(redis: Redis, match: string): Promise<void> {
  const pages = redis.scanStream({ match, count: 1_000 }) as AsyncIterable<string[]>;
  for await (const keys of pages) if (keys.length > 0) await redis.del(...keys);
}

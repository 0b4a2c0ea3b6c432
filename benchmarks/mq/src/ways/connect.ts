import { Redis } from 'ioredis';
import type { Place } from './way.ts';

export async function connect({ host, port }: Pick<Place, 'host' | 'port'>): Promise<Redis> {
  const redis = new Redis({ host, port, lazyConnect: true });
  await redis.connect();
  return redis;
}

/** Entries of all streams. */
export async function streamLengths(redis: Redis): Promise<number> {
  let entries = 0;
  for await (const keys of redis.scanStream({ type: 'stream' })) {
    for (const key of keys as string[]) entries += await redis.xlen(key);
  }
  return entries;
}

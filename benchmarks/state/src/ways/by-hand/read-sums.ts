import type { Sums } from '../../load/work.ts';
import { CountingRedis } from '../counting-redis.ts';
import type { Job } from '../way.ts';
import { keyOf, partitionsOf } from './streams.ts';

/** The sums of all partitions, from their hashes. */
export async function readSums(job: Job, what: 'state' | 'results'): Promise<Sums> {
  const redis = CountingRedis.connectTo(job);
  const sums = new Map<string, number>();
  for (const partition of partitionsOf(job)) {
    const fields = await redis.hgetall(keyOf(job, what, partition));
    for (const [name, sum] of Object.entries(fields)) sums.set(name, Number(sum));
  }
  await redis.quit();
  return sums;
}

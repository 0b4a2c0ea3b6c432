import type { Driver } from './driver.ts';
import { batched, batchedWithFaults } from './driver/batched.ts';
import { chained } from './driver/chained.ts';
import { memoryAsync, memoryEager } from './driver/memory.ts';
import type { RedisBench } from './driver/redis/bench.ts';
import { redis, redisToFunctions } from './driver/redis/redis.ts';
import { redisWithFaults } from './driver/redis/restarts.ts';

/** All engines but that on Redis, each in the ways that it can run a job. The first is what others are compared with where nothing else is. */
export const DRIVERS: readonly Driver[] = [
  chained,
  memoryEager,
  memoryAsync,
  batched(1),
  batched(7),
  batched(500),
  batchedWithFaults,
];

/** The engine on Redis. */
export function redisDrivers(bench: RedisBench): readonly Driver[] {
  return [redis(1, bench), redisToFunctions(7, bench), redis(500, bench), redisWithFaults(bench)];
}

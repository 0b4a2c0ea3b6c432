import { afterAll } from '@jest/globals';
import { useRedis } from '@rs/redis-server/jest';
import { RedisBench } from '../driver/redis/bench.ts';

/** A Redis for the runs of a file. Call it at the top. */
export function useBench(): RedisBench {
  const bench = new RedisBench(() => server().url);
  // Hooks run in their order, and what the runs have left is removed while the server is there.
  afterAll(() => bench.close());
  const server = useRedis();
  return bench;
}

import { Redis } from 'ioredis';
import type { RedisNode } from '../index.ts';

/** Sets a key, and waits until a replica has it. `WAIT` speaks only for the writes of its own connection. */
export async function setOnReplica({ host, port }: RedisNode, key: string, value: string): Promise<void> {
  const redis = new Redis(port, host);
  try {
    await redis.set(key, value);
    const replicas = await redis.wait(1, 30_000);
    if (replicas < 1) throw new Error(`no replica has '${key}' after 30 s`);
  } finally {
    redis.disconnect();
  }
}

import { isRsError, RsError } from '@rs/core';
import type { RedisClient } from '@rs/redis';

/** The id that a log gave out last, also when its entry is gone; `0-0` where there is no log yet. */
export async function lastIdOf(client: Pick<RedisClient, 'command'>, log: string): Promise<string> {
  let reply: unknown;
  try {
    reply = await client.command({ name: 'XINFO', args: ['STREAM', log] }, { key: log });
  } catch (error) {
    if (isRsError(error, 'RS_REDIS_REPLY') && /no such key/.test(error.message)) return '0-0';
    throw error;
  }
  const facts = reply as readonly unknown[];
  const id: unknown = facts[facts.indexOf('last-generated-id') + 1];
  if (typeof id === 'string') return id;
  throw new RsError('RS_REDIS_REPLY', `XINFO STREAM ${log} got a reply that cannot be read`, {
    details: { reply },
  });
}

import { RsError } from '@rs/core';
import type { RedisReply } from '@rs/redis';

export function list(reply: RedisReply | undefined): readonly RedisReply[] {
  if (Array.isArray(reply)) return reply as readonly RedisReply[];
  throw unexpected(reply);
}

/** Text of ASCII, such as ids and numbers. */
export function text(reply: RedisReply | undefined): string {
  if (typeof reply === 'string') return reply;
  if (Buffer.isBuffer(reply)) return reply.toString('latin1');
  throw unexpected(reply);
}

export function bytes(reply: RedisReply | undefined): Buffer {
  if (Buffer.isBuffer(reply)) return reply;
  throw unexpected(reply);
}

export function unexpected(reply: unknown): RsError {
  const shown = String(Buffer.isBuffer(reply) ? reply.toString('latin1') : JSON.stringify(reply));
  return new RsError(
    'RS_REDIS_REPLY',
    `a script of @rs/runtime-redis replied with something else than it does: ${shown.slice(0, 100)}; see what stands between this process and Redis`,
    { details: { reply } },
  );
}

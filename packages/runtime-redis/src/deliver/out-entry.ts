import { RsError } from '@rs/core';
import type { RedisArgument, RedisReply } from '@rs/redis';
import type { StreamEntry } from '../store/commit-op.ts';

/** A committed result that waits for its sink. */
export interface OutEntry extends StreamEntry {
  /** Bytes of its fields, about. */
  readonly bytes: number;
}

/** What an entry costs besides its fields. */
const OVERHEAD = 64;

export function outEntry({ id, fields }: StreamEntry): OutEntry {
  return { id, fields, bytes: OVERHEAD + fields.reduce<number>((sum, field) => sum + sizeOf(field), 0) };
}

/** The entries in a reply of XRANGE in binary form. @throws RsError `RS_REDIS_REPLY` */
export function readEntries(reply: RedisReply): OutEntry[] {
  if (!Array.isArray(reply)) throw unreadable(reply);
  return (reply as readonly RedisReply[]).map((entry) => {
    const [id, fields] = Array.isArray(entry) ? (entry as readonly RedisReply[]) : [];
    if (id === undefined || !Array.isArray(fields)) throw unreadable(reply);
    return outEntry({ id: String(id), fields: fields as readonly Buffer[] });
  });
}

function sizeOf(field: RedisArgument): number {
  return typeof field === 'number' ? 8 : field.length;
}

function unreadable(reply: RedisReply): RsError {
  return new RsError('RS_REDIS_REPLY', 'an out log gave a reply that cannot be read', { details: { reply } });
}

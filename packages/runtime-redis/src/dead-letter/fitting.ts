import type { RedisArgument } from '@rs/redis';
import { ENTRY_VALUES, RECORD_LIMITS } from '../store/commit-limits.ts';

/** Bytes that a dead letter may hold of an entry; what else goes with its commit is far less than the rest of the limit. */
const MOST_BYTES = RECORD_LIMITS.bytes - 1024 * 1024;

/**
 * The names and values of an entry as a dead letter can hold them. Nobody writes larger ones on purpose, but what others write into a
 * topic must not hold it up: such an entry becomes one field `foreign`, a JSON array of its names and values in base64. Where even that
 * is too much, the rest is left out, and a field `cut` says so.
 *
 * @param taken names and values that the dead letter has besides
 */
export function fitting(fields: readonly RedisArgument[], taken: number): readonly RedisArgument[] {
  if (fields.length + taken <= ENTRY_VALUES && sizeOf(fields) <= MOST_BYTES) return fields;
  const kept: string[] = [];
  let left = MOST_BYTES;
  for (const field of fields) {
    const bytes = bytesOf(field);
    // Base64 makes four characters of three bytes, and JSON adds two quotes and a comma.
    const room = Math.max(0, Math.floor((left - 3) / 4) * 3);
    const text = bytes.subarray(0, room).toString('base64');
    kept.push(text);
    left -= text.length + 3;
    if (bytes.length > room) return ['foreign', JSON.stringify(kept), 'cut', noteOf(fields)];
  }
  return ['foreign', JSON.stringify(kept)];
}

function noteOf(fields: readonly RedisArgument[]): string {
  return `all ${fields.length} names and values, ${sizeOf(fields)} bytes, are more than a dead letter can hold; the rest was left out`;
}

function sizeOf(fields: readonly RedisArgument[]): number {
  return fields.reduce<number>((sum, field) => sum + bytesOf(field).length, 0);
}

function bytesOf(field: RedisArgument): Buffer {
  if (Buffer.isBuffer(field)) return field;
  return field instanceof Uint8Array ? Buffer.from(field) : Buffer.from(String(field));
}

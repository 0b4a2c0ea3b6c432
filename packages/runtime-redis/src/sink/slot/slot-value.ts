import { jsonCodec, RsError } from '@rs/core';
import type { RedisArgument } from '@rs/redis';

const codec = jsonCodec<unknown>();

/** What Redis stores as it is: text, bytes, and numbers as text. */
export type StoredAs = string | number | Uint8Array;

/** A value as readers find it where nobody said how to write it: text as it is, all else as JSON. */
export function storedForm(value: unknown): RedisArgument {
  if (typeof value === 'string') return checkStored(value, 'a result');
  const encoded = codec.encode(value);
  return typeof encoded === 'string' ? encoded : Buffer.from(encoded);
}

/**
 * @param what names it in the message
 * @throws RsError `RS_INVALID_VALUE` for what Redis cannot store as it is
 */
export function checkStored(value: unknown, what: string): RedisArgument {
  if ((typeof value === 'string' && !LONE_SURROGATE.test(value)) || Buffer.isBuffer(value)) return value;
  if (value instanceof Uint8Array) return Buffer.from(value);
  if (typeof value === 'number' && !Number.isNaN(value)) return value;
  throw new RsError('RS_INVALID_VALUE', `${what} must be a string, a number or bytes, got ${shown(value)}`, {
    details: { received: value },
  });
}

/** @throws RsError `RS_INVALID_VALUE` for what is no text */
export function checkText(value: unknown, what: string): string {
  // Two texts with lone surrogates would become one in UTF-8.
  if (typeof value === 'string' && !LONE_SURROGATE.test(value)) return value;
  if (typeof value === 'number' && Number.isFinite(value)) return String(value);
  throw new RsError('RS_INVALID_VALUE', `${what} must be a string or a number, got ${shown(value)}`, {
    details: { received: value },
  });
}

const LONE_SURROGATE = /\p{Surrogate}/u;

function shown(value: unknown): string {
  if (value === null) return 'null';
  if (typeof value === 'string') return 'a string with a lone surrogate';
  return typeof value === 'number' ? String(value) : typeof value;
}

import { RsError } from '@rs/core';
import type { Encoded } from '@rs/runtime';
import { isWellFormed } from '../keys/safe-name.ts';

/** What stands before the data. */
export interface ValueFacts {
  /** Version of the descriptor that wrote a value; the order of an element. An integer from 0 up. */
  readonly version: number;
  /** Processing time in ms at which it expires. */
  readonly expiresAt?: number;
  /** Facts of the engine next to the user's data. */
  readonly meta?: string;
}

export interface StoredData extends ValueFacts {
  readonly data: Encoded;
}

const BAR = 0x7c;
const ZERO = 0x30;
const NINE = 0x39;

/**
 * The bytes of a value: `<version>[b|u][;e<ms>][;m<bytes>]|[meta]<data>`. `b`: the data was bytes; `u`: it was text with half a character
 * in it, and stands there as UTF-16; else it is UTF-8. `e`: the time at which it expires. `m`: so many bytes of meta go before the
 * data. Made to be short for the usual value, whose header is `1|`.
 */
export function encodeValue(data: Encoded, { version, expiresAt, meta }: ValueFacts): string | Buffer {
  const isText = typeof data === 'string';
  const isPlain = isText && isWellFormed(data);
  let header = String(version);
  if (!isPlain) header += isText ? 'u' : 'b';
  if (expiresAt !== undefined) header += `;e${expiresAt}`;
  if (meta !== undefined) header += `;m${Buffer.byteLength(meta)}`;
  header += meta === undefined ? '|' : `|${meta}`;
  if (isPlain) return header + data;
  return Buffer.concat([Buffer.from(header), isText ? Buffer.from(data, 'utf16le') : data]);
}

/**
 * @param of what the value is of, for the error
 * @throws RsError `RS_INVALID_VALUE` for bytes that {@link encodeValue} did not make
 */
export function decodeValue(
  bytes: Buffer,
  of: { readonly operator: string; readonly state: string },
): StoredData {
  // Nearly all headers are a number alone.
  let version = 0;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at] ?? 0;
    if (byte === BAR && at > 0) return { data: bytes.toString('utf8', at + 1), version };
    if (byte < ZERO || byte > NINE) break;
    version = version * 10 + (byte - ZERO);
  }
  const bar = bytes.indexOf(BAR);
  const header = HEADER.exec(bytes.toString('latin1', 0, Math.max(bar, 0)));
  if (header === null) throw unreadable(bytes, of);
  const [, number, form, expiresAt, length] = header;
  const from = bar + 1 + Number(length ?? 0);
  return {
    data: dataOf(bytes, from, form),
    version: Number(number),
    ...(expiresAt === undefined ? {} : { expiresAt: Number(expiresAt) }),
    ...(length === undefined ? {} : { meta: bytes.toString('utf8', bar + 1, from) }),
  };
}

const HEADER = /^(\d+)([bu]?)(?:;e(-?[\d.e+]+))?(?:;m(\d+))?$/;

function dataOf(bytes: Buffer, from: number, form: string | undefined): Encoded {
  if (form === 'u') return bytes.toString('utf16le', from);
  if (form !== 'b') return bytes.toString('utf8', from);
  // A copy: the buffer is that of a whole reply, and would live as long as the value does.
  return Uint8Array.from(bytes.subarray(from));
}

function unreadable(bytes: Buffer, { operator, state }: { operator: string; state: string }): RsError {
  return new RsError(
    'RS_INVALID_VALUE',
    `state '${state}' of operator '${operator}' holds bytes that @rs/runtime-redis did not write: ` +
      `${JSON.stringify(bytes.toString('latin1', 0, 40))}; did another program write to its key?`,
    { details: { operator, state } },
  );
}

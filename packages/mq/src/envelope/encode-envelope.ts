import { RsError, isRsError } from '@rs/core';
import type { MessageCodec } from '../codec/codec.ts';
import { survivesUtf8 } from '../codec/utf8.ts';
import type { Envelope } from './envelope.ts';

/** What goes into an envelope. Types, timestamp and headers are checked already. */
export interface Content {
  readonly key: string | undefined;
  readonly value: unknown;
  readonly headers: Readonly<Record<string, string>> | undefined;
  /** Epoch milliseconds; `undefined` stands for the time of sending. */
  readonly timestamp: number | undefined;
}

/**
 * @throws RsError `RS_INVALID_KEY` for a key that UTF-8 would change; `RS_INVALID_VALUE` for `undefined`, and for what the
 *   codec refuses
 */
export function encodeEnvelope({ key, value, headers, timestamp }: Content, codec: MessageCodec): Envelope {
  if (key !== undefined && !survivesUtf8(key)) {
    throw new RsError(
      'RS_INVALID_KEY',
      `the key ${JSON.stringify(key)} has a lone surrogate, which UTF-8 cannot carry`,
      { details: { received: key } },
    );
  }
  const d = encodeValue(value, codec);
  const facts = factsOf(codec.name, key !== undefined);
  const m = timestamp === undefined ? facts : `${facts}${timestamp}`;
  return { m, k: key ?? '', h: headers === undefined ? '' : encodeHeaders(headers), d };
}

const keyedFacts = new Map<string, string>();
const plainFacts = new Map<string, string>();

/** What `m` begins with. Most messages have nothing behind it, and share the text. */
function factsOf(codec: string, keyed: boolean): string {
  const known = keyed ? keyedFacts : plainFacts;
  let facts = known.get(codec);
  if (facts === undefined) {
    facts = `1,${codec},${keyed ? 'k' : '-'},`;
    known.set(codec, facts);
  }
  return facts;
}

function encodeValue(value: unknown, codec: MessageCodec): string | Buffer {
  if (value === undefined) {
    throw new RsError('RS_INVALID_VALUE', 'undefined is no value of a message; null is one');
  }
  let data: unknown;
  try {
    data = codec.encode(value);
  } catch (error) {
    if (isRsError(error, 'RS_INVALID_VALUE')) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    throw new RsError('RS_INVALID_VALUE', `the codec '${codec.name}' cannot write the value: ${reason}`, {
      cause: error,
      details: { codec: codec.name },
    });
  }
  if (typeof data === 'string' || Buffer.isBuffer(data)) return data;
  throw new RsError('RS_INVALID_VALUE', `the codec '${codec.name}' gave neither text nor a Buffer`, {
    details: { codec: codec.name },
  });
}

function encodeHeaders(headers: Readonly<Record<string, string>>): string {
  const text = JSON.stringify(headers);
  return text === '{}' ? '' : text;
}

import { type Message, RsError, isRsError } from '@rs/core';
import type { MessageCodec } from '../codec/codec.ts';
import type { Codecs } from '../codec/codecs.ts';
import { readUtf8 } from '../codec/utf8.ts';
import type { Envelope } from './envelope.ts';

/** The fields as they were found: anybody can write to a stream. */
export type StoredEnvelope = { readonly [Field in keyof Envelope]?: Envelope[Field] | undefined };

const NO_HEADERS: Readonly<Record<string, string>> = Object.freeze({});

/** Version, codec and whether there is a key, from `m`. There are few of them, and every message has one. */
interface Prefix {
  readonly codec: MessageCodec;
  readonly keyed: boolean;
}

/** What `m` says. */
interface Facts extends Prefix {
  /** `undefined` stands for the time of sending. */
  readonly eventTime: number | undefined;
}

/** What was read so far with some codecs. */
interface Known {
  readonly prefixes: Map<string, Prefix>;
  /** The field that was read last, and what it says: entries that are read together often share it. */
  m: string | Buffer | undefined;
  facts: Facts | undefined;
}

const ZERO = 0x30;

const knownOf = new WeakMap<Codecs, Known>();

/**
 * Makes a message of a stream entry. Without an event time, its timestamp is the time of its id: when it was sent.
 *
 * @throws RsError `RS_INVALID_VALUE` that says what is wrong: the entry cannot be read, now or later
 */
export function decodeEnvelope(
  id: string,
  topic: string,
  partition: number,
  envelope: StoredEnvelope,
  codecs: Codecs,
): Message<unknown> {
  try {
    const { m, k, h, d } = envelope;
    if (m === undefined || k === undefined || h === undefined || d === undefined) throw missing(envelope);
    const { codec, keyed, eventTime } = factsOf(m, codecs);
    return {
      id,
      topic,
      partition,
      key: keyOf(k, keyed),
      value: decodeValue(d, codec),
      timestamp: eventTime ?? timeOf(id),
      headers: h.length === 0 ? NO_HEADERS : headersOf(h),
    };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new RsError(
      'RS_INVALID_VALUE',
      `message ${id} in partition ${partition} of topic '${topic}' cannot be read: ${reason}`,
      { cause: error, details: { topic, partition, id } },
    );
  }
}

function knownWith(codecs: Codecs): Known {
  let known = knownOf.get(codecs);
  if (known === undefined) {
    known = { prefixes: new Map(), m: undefined, facts: undefined };
    knownOf.set(codecs, known);
  }
  return known;
}

function factsOf(m: string | Buffer, codecs: Codecs): Facts {
  const known = knownWith(codecs);
  if (known.m === m && known.facts !== undefined) return known.facts;
  const text = typeof m === 'string' ? m : m.toString('latin1');
  const end = text.lastIndexOf(',') + 1;
  const { codec, keyed } = prefixOf(text.slice(0, end), text, codecs, known.prefixes);
  const facts = { codec, keyed, eventTime: end === text.length ? undefined : eventTimeOf(text.slice(end)) };
  known.m = m;
  known.facts = facts;
  return facts;
}

function prefixOf(prefix: string, m: string, codecs: Codecs, prefixes: Map<string, Prefix>): Prefix {
  let parsed = prefixes.get(prefix);
  // Only what can be read is kept: of that, there are two for each codec.
  if (parsed === undefined) {
    parsed = parsePrefix(prefix, m, codecs);
    prefixes.set(prefix, parsed);
  }
  return parsed;
}

function parsePrefix(prefix: string, facts: string, codecs: Codecs): Prefix {
  const [version, name = '', key, ...rest] = prefix.split(',');
  if (version !== '1') {
    throw malformed(`its field m is ${shown(facts)}, which is no version that is known here`);
  }
  if ((key !== 'k' && key !== '-') || rest.length !== 1) {
    throw malformed(`its field m is ${shown(facts)}, not 1,<codec>,<k or ->,<event time>`);
  }
  const codec = codecs.get(name);
  if (codec === undefined) {
    throw malformed(
      `it was written with the codec ${shown(name)}, which is not known here; give it to createMq({ codecs })`,
    );
  }
  return { codec, keyed: key === 'k' };
}

function keyOf(k: string | Buffer, keyed: boolean): string | undefined {
  if (keyed) return typeof k === 'string' ? k : readUtf8(k, 'its key');
  if (k.length > 0) throw malformed('its field k has a key, though its field m says that there is none');
  return undefined;
}

function decodeValue(d: string | Buffer, codec: MessageCodec): unknown {
  try {
    if (typeof d !== 'string') return codec.decode(d);
    return codec.decodeText === undefined ? codec.decode(Buffer.from(d)) : codec.decodeText(d);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new RsError('RS_INVALID_VALUE', `the codec '${codec.name}' refuses its value: ${reason}`, {
      cause: isRsError(error) ? (error.cause ?? error) : error,
    });
  }
}

/** When an entry was written, in epoch milliseconds. */
export function timeOf(id: string): number {
  let time = 0;
  // Every message has one, and this makes no text.
  for (let at = 0; at < id.length; at++) {
    const digit = id.charCodeAt(at) - ZERO;
    if (digit < 0) break; // the dash
    time = time * 10 + digit;
  }
  return time;
}

export function eventTimeOf(text: string): number {
  // Nearly every message has one of 13 digits, and this looks at each digit once.
  let time = 0;
  for (let at = 0; at < text.length; at++) {
    const digit = text.charCodeAt(at) - ZERO;
    if (digit < 0 || digit > 9 || at === 15) return uncommonEventTimeOf(text);
    time = time * 10 + digit;
  }
  return text === '' ? uncommonEventTimeOf(text) : time;
}

function uncommonEventTimeOf(text: string): number {
  const time = /^-?\d{1,16}$/.test(text) ? Number(text) : Number.NaN;
  if (!Number.isSafeInteger(time))
    throw malformed(`its event time is ${shown(text)}, no integer of milliseconds`);
  return time + 0;
}

export function headersOf(h: string | Buffer): Readonly<Record<string, string>> {
  let headers: unknown;
  try {
    headers = JSON.parse(typeof h === 'string' ? h : readUtf8(h, 'its field h'));
  } catch (error) {
    throw malformed(`its headers are no JSON: ${error instanceof Error ? error.message : String(error)}`);
  }
  if (typeof headers !== 'object' || headers === null || Array.isArray(headers)) {
    throw malformed('its headers are no JSON object');
  }
  for (const [name, value] of Object.entries(headers)) {
    if (typeof value !== 'string') throw malformed(`its header ${shown(name)} is no text`);
  }
  return headers as Readonly<Record<string, string>>;
}

function missing(envelope: StoredEnvelope): RsError {
  const fields = (['m', 'k', 'h', 'd'] as const).filter((field) => envelope[field] === undefined);
  return malformed(`it lacks the field ${fields.join(', ')}; only producers of @rs/mq write to a topic`);
}

function malformed(problem: string): RsError {
  return new RsError('RS_INVALID_VALUE', problem);
}

function shown(text: string): string {
  return JSON.stringify(text.length > 100 ? `${text.slice(0, 100)}…` : text);
}

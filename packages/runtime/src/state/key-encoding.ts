import { RsError } from '@rs/core';

/**
 * Canonical text of a key. Equal keys have equal text on every machine and in every run; different keys differ:
 *
 * | key | text |
 * |---|---|
 * | string | `s:` + text |
 * | number | `n:` + shortest form (`1` and `1.0` are one number, `-0` is `0`) |
 * | bigint | `b:` + decimal |
 * | boolean | `u:1`, `u:0` |
 * | null inside an array or object | `z:` |
 * | bytes | `x:` + hexadecimal |
 * | array, plain object (keys sorted) | `a[…]`, `o{…}` with each part prefixed by its length |
 *
 * The length prefix makes nesting unambiguous without escaping.
 *
 * @throws RsError `RS_INVALID_KEY` for undefined, null, NaN, infinities, functions, symbols, dates, class instances and cycles
 */
export function encodeKey(key: unknown): string {
  if (typeof key === 'string') return `s:${key}`;
  if (key === null) throw invalidKey('null');
  return encodePart(key, 0);
}

/** The key that {@link encodeKey} made the text from. */
export function decodeKey(text: string): unknown {
  const body = text.slice(2);
  switch (text.slice(0, 2)) {
    case 's:':
      return body;
    case 'n:':
      return Number(body);
    case 'b:':
      return BigInt(body);
    case 'u:':
      return body === '1';
    case 'z:':
      return null;
    case 'x:':
      return Uint8Array.from(body.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
    case 'a[':
      return splitParts(body).map(decodeKey);
    case 'o{':
      return decodeObject(splitParts(body));
    default:
      throw new RsError('RS_INVALID_KEY', `'${text.slice(0, 40)}' is not an encoded key`);
  }
}

/** Order of encoded texts by code point, which is also the order of their UTF-8 bytes (the order of Redis). */
export function compareText(a: string, b: string): number {
  if (a === b) return 0;
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    const x = a.charCodeAt(i);
    const y = b.charCodeAt(i);
    if (x !== y) return rank(x) - rank(y);
  }
  return a.length - b.length;
}

/** Surrogates (0xD800–0xDFFF) stand for code points above all others. */
function rank(unit: number): number {
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit;
}

const MAX_DEPTH = 32;

function encodePart(part: unknown, depth: number): string {
  switch (typeof part) {
    case 'string':
      return `s:${part}`;
    case 'number':
      if (!Number.isFinite(part)) throw invalidKey(String(part));
      return `n:${part + 0}`;
    case 'bigint':
      return `b:${part}`;
    case 'boolean':
      return part ? 'u:1' : 'u:0';
    case 'object':
      return part === null ? 'z:' : encodeObject(part, depth);
    default:
      throw invalidKey(typeof part === 'undefined' ? 'undefined' : `a ${typeof part}`);
  }
}

function encodeObject(object: object, depth: number): string {
  if (depth >= MAX_DEPTH) throw invalidKey(`nested more than ${MAX_DEPTH} levels deep (or contains itself)`);
  if (object instanceof Uint8Array)
    return `x:${Array.from(object, (b) => b.toString(16).padStart(2, '0')).join('')}`;
  // Not map: it would skip holes, and an array with a hole would be the same key as a shorter one.
  if (Array.isArray(object))
    return `a[${joinParts(Array.from(object, (part) => encodePart(part, depth + 1)))}`;
  const prototype: unknown = Object.getPrototypeOf(object);
  if (prototype !== Object.prototype && prototype !== null) {
    if (typeof (object as { then?: unknown }).then === 'function')
      throw invalidKey('a promise; key selectors are synchronous');
    const { constructor } = object as { constructor?: unknown };
    throw invalidKey(`an instance of ${typeof constructor === 'function' ? constructor.name : 'a class'}`);
  }
  if (Object.getOwnPropertySymbols(object).length > 0)
    throw invalidKey('an object with a symbol as property name');
  const names = Object.keys(object).sort(compareText);
  const record = object as Record<string, unknown>;
  return `o{${joinParts(names.flatMap((name) => [name, encodePart(record[name], depth + 1)]))}`;
}

function joinParts(parts: readonly string[]): string {
  return parts.map((part) => `${part.length}:${part}`).join('');
}

function splitParts(body: string): string[] {
  const parts: string[] = [];
  for (let at = 0; at < body.length;) {
    const colon = body.indexOf(':', at);
    const end = colon + 1 + Number(body.slice(at, colon));
    parts.push(body.slice(colon + 1, end));
    at = end;
  }
  return parts;
}

function decodeObject(parts: readonly string[]): object {
  const entries: [string, unknown][] = [];
  for (let i = 0; i + 1 < parts.length; i += 2)
    entries.push([parts[i] as string, decodeKey(parts[i + 1] as string)]);
  return Object.fromEntries(entries);
}

function invalidKey(what: string): RsError {
  return new RsError(
    'RS_INVALID_KEY',
    `a key must be a string, finite number, bigint, boolean, bytes, or an array or plain object of these, but it is ${what}`,
  );
}

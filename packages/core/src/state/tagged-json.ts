import { RsError } from '../errors/rs-error.ts';

/**
 * JSON that keeps types. A value that JSON cannot say becomes `{ "$rs": tag, "v": … }`; a plain object that has
 * a key `$rs` itself is wrapped with the tag `object`. Everything else is ordinary JSON, and text without the
 * key `"$rs"` needs no second pass when it is read.
 */
const TAG = '$rs';

/** Deeper values are refused, so that neither writing nor reading them back can run out of stack. */
const MAX_DEPTH = 500;

interface Tagged {
  readonly [TAG]: string;
  readonly v?: unknown;
}

/** The value in a form that `JSON.stringify` keeps; the same reference where nothing had to change. */
export function toTagged(value: unknown): unknown {
  return convert(value, '', []);
}

/** @throws RsError `RS_INVALID_VALUE` when the text was not made by `toTagged` and `JSON.stringify` */
export function fromTagged(text: string): unknown {
  try {
    const parsed: unknown = JSON.parse(text);
    return text.includes(`"${TAG}"`) ? revive(parsed) : parsed;
  } catch (cause) {
    if (cause instanceof RsError) throw cause;
    throw new RsError('RS_INVALID_VALUE', 'the stored text is not tagged JSON; was the codec changed?', {
      cause,
    });
  }
}

/** What JSON keeps as it is. Asked first, so that the common values cost no call and no path. */
function isJsonPrimitive(value: unknown): boolean {
  return (
    typeof value === 'string' ||
    typeof value === 'boolean' ||
    value === null ||
    (typeof value === 'number' && Number.isFinite(value) && !Object.is(value, -0))
  );
}

function convert(value: unknown, path: string, ancestors: object[]): unknown {
  if (isJsonPrimitive(value)) return value;
  switch (typeof value) {
    case 'number':
      return tagged('number', Object.is(value, -0) ? '-0' : String(value));
    case 'undefined':
      return tagged('undefined');
    case 'bigint':
      return tagged('bigint', value.toString());
    case 'object':
      return convertObject(value as object, path, ancestors);
    default:
      throw refused(path, `a ${typeof value}`);
  }
}

function convertObject(value: object, path: string, ancestors: object[]): unknown {
  if (ancestors.includes(value)) throw refused(path, 'a reference to an object that contains it (a cycle)');
  if (ancestors.length === MAX_DEPTH) throw refused(path, `nested more than ${MAX_DEPTH} levels deep`);
  ancestors.push(value);
  const converted = convertByType(value, path, ancestors);
  ancestors.pop();
  return converted;
}

function convertByType(value: object, path: string, ancestors: object[]): unknown {
  const prototype: unknown = Object.getPrototypeOf(value);
  if (Array.isArray(value)) {
    if (isArrayPrototype(prototype)) return convertArray(value, path, ancestors);
    throw refused(path, `an instance of ${className(prototype)}`);
  }
  if (isPlainPrototype(prototype)) return convertPlain(value, path, ancestors);
  if (prototype === Map.prototype) {
    const entries = [...(value as Map<unknown, unknown>)];
    return tagged(
      'map',
      entries.map((entry, i) => convertArray(entry, join(path, `entry(${i})`), ancestors)),
    );
  }
  if (prototype === Set.prototype) {
    return tagged('set', convertArray([...(value as Set<unknown>)], path, ancestors));
  }
  // Not by prototype: a Buffer is stored as its bytes, and fake clocks put a subclass in the place of Date.
  if (value instanceof Date) return tagged('date', Number.isNaN(value.getTime()) ? null : value.getTime());
  if (value instanceof Uint8Array) return tagged('bytes', toHex(value));
  throw refused(path, `an instance of ${className(prototype)}`);
}

/** Also true for the `Object.prototype` of another realm, such as that of `structuredClone` under Jest. */
function isPlainPrototype(prototype: unknown): boolean {
  return (
    prototype === Object.prototype ||
    prototype === null ||
    (Object.getPrototypeOf(prototype) === null && Object.hasOwn(prototype as object, 'isPrototypeOf'))
  );
}

function isArrayPrototype(prototype: unknown): boolean {
  return (
    prototype === Array.prototype ||
    (prototype !== null && isPlainPrototype(Object.getPrototypeOf(prototype)))
  );
}

function className(prototype: unknown): string {
  const name: unknown = (prototype as { constructor?: { name?: unknown } } | null)?.constructor?.name;
  return typeof name === 'string' && name !== '' ? name : 'a class';
}

function convertArray(array: readonly unknown[], path: string, ancestors: object[]): readonly unknown[] {
  let copy: unknown[] | undefined;
  for (let i = 0; i < array.length; i++) {
    const item = array[i];
    let converted = item;
    if (!isJsonPrimitive(item)) {
      if (item === undefined && !(i in array)) throw refused(`${path}[${i}]`, 'a hole in an array');
      converted = convert(item, `${path}[${i}]`, ancestors);
      if (converted !== item) copy ??= array.slice(0, i);
    }
    copy?.push(converted);
  }
  return copy ?? array;
}

function convertPlain(object: object, path: string, ancestors: object[]): unknown {
  const plain = object as Record<string, unknown>;
  if (Object.getOwnPropertySymbols(plain).length > 0) {
    throw refused(path, 'an object with a symbol as key');
  }
  let copy: Record<string, unknown> | undefined;
  for (const key of Object.keys(plain)) {
    const item = plain[key];
    if (isJsonPrimitive(item)) continue;
    const converted = convert(item, join(path, key), ancestors);
    if (converted === item) continue;
    // Each key is an own property of the copy already, so that even `__proto__` is an ordinary assignment.
    copy ??= { ...plain };
    copy[key] = converted;
  }
  return Object.hasOwn(plain, TAG) ? tagged('object', Object.entries(copy ?? plain)) : (copy ?? plain);
}

function revive(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(revive);
  if (Object.hasOwn(value, TAG)) return reviveTagged(value as Tagged);
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, revive(item)]));
}

function reviveTagged(value: Tagged): unknown {
  switch (value[TAG]) {
    case 'undefined':
      return undefined;
    case 'number':
      return Number(value.v);
    case 'bigint':
      return BigInt(value.v as string);
    case 'date':
      return new Date((value.v as number | null) ?? Number.NaN);
    case 'map':
      return new Map((value.v as [unknown, unknown][]).map(([key, item]) => [revive(key), revive(item)]));
    case 'set':
      return new Set((value.v as unknown[]).map(revive));
    case 'bytes':
      return fromHex(value.v as string);
    case 'object':
      return Object.fromEntries((value.v as [string, unknown][]).map(([key, item]) => [key, revive(item)]));
    default:
      throw new RsError(
        'RS_INVALID_VALUE',
        `stored JSON has the unknown type tag '${value[TAG]}'; was it written by a newer version?`,
      );
  }
}

function join(path: string, key: string): string {
  return path === '' ? key : `${path}.${key}`;
}

function tagged(tag: string, v?: unknown): Tagged {
  return v === undefined ? { [TAG]: tag } : { [TAG]: tag, v };
}

function refused(path: string, what: string): RsError {
  const where = path === '' ? 'the value' : `the value at ${path}`;
  return new RsError(
    'RS_INVALID_VALUE',
    `${where} is ${what}, which cannot be stored and read back; store plain data or pass a codec`,
    { details: { path } },
  );
}

function toHex(bytes: Uint8Array): string {
  let text = '';
  for (const byte of bytes) text += byte.toString(16).padStart(2, '0');
  return text;
}

function fromHex(text: string): Uint8Array {
  const bytes = new Uint8Array(text.length / 2);
  for (let i = 0; i < bytes.length; i++) bytes[i] = Number.parseInt(text.slice(2 * i, 2 * i + 2), 16);
  return bytes;
}

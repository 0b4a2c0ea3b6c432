import { RsError } from '../errors/rs-error.ts';

/**
 * JSON that keeps types. A value that JSON cannot say becomes `{ "$rs": tag, "v": … }`; a plain object that has
 * a key `$rs` itself is wrapped with the tag `object`. Everything else is ordinary JSON, and text without the
 * key `"$rs"` needs no second pass when it is read.
 */
const TAG = '$rs';

interface Tagged {
  readonly [TAG]: string;
  readonly v?: unknown;
}

/** The value in a form that `JSON.stringify` keeps; the same reference where nothing had to change. */
export function toTagged(value: unknown): unknown {
  return convert(value, '', []);
}

export function fromTagged(text: string): unknown {
  const parsed: unknown = JSON.parse(text);
  return text.includes(`"${TAG}"`) ? revive(parsed) : parsed;
}

function convert(value: unknown, path: string, ancestors: object[]): unknown {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return value;
    case 'number':
      return Number.isFinite(value) && !Object.is(value, -0)
        ? value
        : tagged('number', String(Object.is(value, -0) ? '-0' : value));
    case 'undefined':
      return tagged('undefined');
    case 'bigint':
      return tagged('bigint', value.toString());
    case 'object':
      return value === null ? null : convertObject(value, path, ancestors);
    default:
      throw refused(path, `a ${typeof value}`);
  }
}

function convertObject(value: object, path: string, ancestors: object[]): unknown {
  if (ancestors.includes(value)) throw refused(path, 'a reference to an object that contains it (a cycle)');
  ancestors.push(value);
  try {
    if (Array.isArray(value)) return convertArray(value, path, ancestors);
    if (value instanceof Date) return tagged('date', Number.isNaN(value.getTime()) ? null : value.getTime());
    if (value instanceof Map)
      return tagged(
        'map',
        [...value].map((entry, i) => convertArray(entry, `${path}.entry(${i})`, ancestors)),
      );
    if (value instanceof Set) return tagged('set', convertArray([...value], path, ancestors));
    if (value instanceof Uint8Array) return tagged('bytes', toHex(value));
    return convertPlain(value, path, ancestors);
  } finally {
    ancestors.pop();
  }
}

function convertArray(array: readonly unknown[], path: string, ancestors: object[]): readonly unknown[] {
  let copy: unknown[] | undefined;
  for (let i = 0; i < array.length; i++) {
    const converted = convert(array[i], `${path}[${i}]`, ancestors);
    if (copy === undefined && converted !== array[i]) copy = array.slice(0, i);
    copy?.push(converted);
  }
  return copy ?? array;
}

function convertPlain(object: object, path: string, ancestors: object[]): unknown {
  const prototype: unknown = Object.getPrototypeOf(object);
  if (prototype !== Object.prototype && prototype !== null) {
    throw refused(path, `an instance of ${object.constructor?.name || 'a class'}`);
  }
  if (typeof (object as { toJSON?: unknown }).toJSON === 'function')
    throw refused(path, 'an object with its own toJSON');
  const entries = Object.entries(object);
  let changed = false;
  for (const entry of entries) {
    const converted = convert(entry[1], path === '' ? entry[0] : `${path}.${entry[0]}`, ancestors);
    if (converted !== entry[1]) changed = true;
    entry[1] = converted;
  }
  const plain = changed ? Object.fromEntries(entries) : object;
  return Object.hasOwn(object, TAG) ? tagged('object', Object.entries(plain)) : plain;
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

function tagged(tag: string, v?: unknown): Tagged {
  return v === undefined ? { [TAG]: tag } : { [TAG]: tag, v };
}

function refused(path: string, what: string): RsError {
  const where = path === '' ? 'the value' : `the value at ${path}`;
  return new RsError(
    'RS_INVALID_VALUE',
    `${where} is ${what}, which cannot be stored and read back; store plain data or pass a codec`,
    {
      details: { path },
    },
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

import { RsError } from '@rs/core';

/** Deeper values are refused, so that neither writing nor reading them can run out of stack. It also ends cycles. */
const MAX_DEPTH = 500;

/** What a format knows besides plain data: objects, arrays, text, numbers, booleans and null. */
export interface Format {
  /** For messages: `JSON`. */
  readonly name: string;
  /** What to do instead, at the end of the message. */
  readonly advice: string;
  /** Decides about numbers and texts; a returned text says what is wrong with it. Objects and arrays are looked into. */
  number(value: number): string | undefined;
  text(value: string): string | undefined;
  /** For objects that are neither plain nor arrays: whether the format keeps them. */
  keeps(value: object): boolean;
}

/**
 * Refuses what a format would change or drop without a word, with the path at which it stands. A property that is
 * `undefined` passes: it is as good as absent.
 *
 * @throws RsError `RS_INVALID_VALUE`
 */
export function assertPlain(value: unknown, format: Format): void {
  const problem = problemOf(value, format, 0);
  if (problem === undefined) return;
  const path = problem.path.reverse().join('').replace(/^\./, '');
  const where = path === '' ? 'the value' : `the value at ${path}`;
  throw new RsError(
    'RS_INVALID_VALUE',
    `${where} is ${problem.what}, which ${format.name} cannot carry; ${format.advice}`,
    { details: { path } },
  );
}

interface Problem {
  readonly what: string;
  /** From the inside out: it is made on the way back only, so that good values cost no text. */
  readonly path: string[];
}

function problemOf(value: unknown, format: Format, depth: number): Problem | undefined {
  switch (typeof value) {
    case 'string':
      return told(format.text(value));
    case 'number':
      return told(format.number(value));
    case 'boolean':
      return undefined;
    case 'object':
      return value === null ? undefined : problemOfObject(value, format, depth);
    default:
      return told(typeof value === 'undefined' ? 'undefined' : `a ${typeof value}`);
  }
}

function problemOfObject(value: object, format: Format, depth: number): Problem | undefined {
  if (depth === MAX_DEPTH) return told(`nested more than ${MAX_DEPTH} levels deep, or contains itself`);
  const prototype: unknown = Object.getPrototypeOf(value);
  if (Array.isArray(value)) {
    return isArrayPrototype(prototype)
      ? problemOfItems(value, format, depth)
      : told(`an instance of ${className(prototype)}`);
  }
  if (isPlainPrototype(prototype)) return problemOfProperties(value, format, depth);
  return format.keeps(value) ? undefined : told(`an instance of ${className(prototype)}`);
}

function problemOfItems(items: readonly unknown[], format: Format, depth: number): Problem | undefined {
  for (let at = 0; at < items.length; at++) {
    const problem = problemOf(items[at], format, depth + 1);
    if (problem !== undefined) return inside(problem, `[${at}]`);
  }
  return undefined;
}

function problemOfProperties(object: object, format: Format, depth: number): Problem | undefined {
  const properties = object as Readonly<Record<string, unknown>>;
  // The chain of a plain object has nothing to enumerate.
  for (const name in properties) {
    const wrongName = format.text(name);
    if (wrongName !== undefined) return told(`an object with the key ${JSON.stringify(name)}, ${wrongName}`);
    const item = properties[name];
    if (item === undefined) continue;
    const problem = problemOf(item, format, depth + 1);
    if (problem !== undefined) return inside(problem, `.${name}`);
  }
  return undefined;
}

function told(what: string | undefined): Problem | undefined {
  return what === undefined ? undefined : { what, path: [] };
}

function inside(problem: Problem, step: string): Problem {
  problem.path.push(step);
  return problem;
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

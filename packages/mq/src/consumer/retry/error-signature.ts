import { clipBytes, clipText } from './clip.ts';
import { normalize } from './normalize.ts';

/** What a dead letter keeps of an error. */
export interface ErrorReport {
  readonly name: string;
  /** At most 512 UTF-16 code units. */
  readonly message: string;
  /** The same for errors of the same cause, as far as texts tell: to group dead letters by. At most 200 code units. */
  readonly signature: string;
  /** With the stacks of its causes; at most 4 KiB in UTF-8. Empty when there is none. */
  readonly stack: string;
}

const MAX_NAME = 100;
const MAX_MESSAGE = 512;
const MAX_SIGNATURE = 200;
const MAX_STACK_BYTES = 4096;
const MAX_CAUSES = 4;

const CODE = /^[A-Za-z0-9_.-]{1,64}$/;

/** Describes anything that can be thrown. Never throws: what it describes may be no error, or throw when it is read. */
export function describeError(thrown: unknown): ErrorReport {
  const name = clipText(nameOf(thrown), MAX_NAME);
  const message = clipText(messageOf(thrown), MAX_MESSAGE);
  const code = read(thrown, 'code');
  const kind = typeof code === 'string' && CODE.test(code) ? code : name;
  const signature = clipText(message === '' ? kind : `${kind}: ${normalize(message)}`, MAX_SIGNATURE);
  return { name, message, signature, stack: clipBytes(stacksOf(thrown), MAX_STACK_BYTES) };
}

function isObject(value: unknown): value is object {
  return (typeof value === 'object' && value !== null) || typeof value === 'function';
}

function read(thrown: unknown, property: string): unknown {
  if (!isObject(thrown)) return undefined;
  try {
    return (thrown as Readonly<Record<string, unknown>>)[property];
  } catch {
    return undefined;
  }
}

/** Of a text that somebody else made, however long it is, only what can end up in a report. */
function text(value: unknown): string | undefined {
  return typeof value === 'string' ? value.slice(0, MAX_STACK_BYTES) : undefined;
}

function nameOf(thrown: unknown): string {
  if (!isObject(thrown)) return thrown === null ? 'null' : typeof thrown;
  return text(read(thrown, 'name')) || text(read(read(thrown, 'constructor'), 'name')) || 'object';
}

function messageOf(thrown: unknown): string {
  const message = text(read(thrown, 'message'));
  if (message !== undefined) return message;
  if (typeof thrown === 'string') return text(thrown) ?? '';
  if (!isObject(thrown)) return String(thrown);
  try {
    return text(JSON.stringify(thrown)) ?? '';
  } catch {
    return '';
  }
}

function stacksOf(thrown: unknown): string {
  const stacks: string[] = [];
  for (let one = thrown; isObject(one) && stacks.length <= MAX_CAUSES; one = read(one, 'cause')) {
    stacks.push(text(read(one, 'stack')) ?? '');
  }
  return stacks.filter((stack) => stack !== '').join('\ncaused by: ');
}

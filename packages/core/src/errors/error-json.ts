/** What `JSON.stringify` makes of an error. Whatever was thrown, it can be written. */
export interface ErrorJson {
  readonly name: string;
  readonly message: string;
  readonly code?: unknown;
  readonly retriable?: boolean;
  readonly details?: Readonly<Record<string, unknown>>;
  /** What led to it: an error in this form, or what else was thrown. */
  readonly cause?: unknown;
}

/** Errors that led to one another; more would say nothing new, and they may lead in a circle. */
const MAX_CAUSES = 8;
const UNREADABLE = '[unreadable]';

/** A value that `JSON.stringify` takes, with the texts of the errors that it is or contains. */
function jsonOf(value: unknown, depth: number): unknown {
  try {
    if (value instanceof Error) return depth < MAX_CAUSES ? errorJson(value, depth) : String(value);
    if (typeof value === 'bigint' || typeof value === 'symbol') return String(value);
    const text = JSON.stringify(value) as string | undefined;
    return text === undefined ? undefined : value;
  } catch {
    return shown(value);
  }
}

/** An error with its texts, and those of what led to it. */
export function errorJson(error: Error, depth = 0): ErrorJson {
  const { name, message, cause } = error;
  const { code, retriable, details } = error as Partial<Record<'code' | 'retriable' | 'details', unknown>>;
  return {
    name,
    message,
    ...(code === undefined ? {} : { code: jsonOf(code, depth + 1) }),
    ...(typeof retriable === 'boolean' ? { retriable } : {}),
    ...(typeof details === 'object' && details !== null ? { details: entriesJson(details, depth + 1) } : {}),
    ...(cause === undefined ? {} : { cause: jsonOf(cause, depth + 1) }),
  };
}

function entriesJson(details: object, depth: number): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(details).map(([name, value]) => [name, jsonOf(value, depth)]));
}

function shown(value: unknown): string {
  try {
    return String(value);
  } catch {
    return UNREADABLE;
  }
}

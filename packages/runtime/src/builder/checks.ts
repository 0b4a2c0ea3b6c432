import { type LatenessMode, type OutputTag, RsError } from '@rs/core';

/** Refuses at declaration what would otherwise fail at the first record. */
export function checkFunction(fn: unknown, operation: string, what = 'a function'): void {
  if (typeof fn === 'function') return;
  throw new RsError(
    'RS_INVALID_ARGUMENT',
    `${operation} needs ${what}, got ${fn === null ? 'null' : typeof fn}`,
    {
      details: { operation },
    },
  );
}

/** Refuses an object that lacks methods. */
export function checkMethods(
  object: unknown,
  methods: readonly string[],
  operation: string,
  what: string,
): void {
  const missing = methods.filter(
    (name) => typeof (object as Record<string, unknown> | null | undefined)?.[name] !== 'function',
  );
  if (missing.length === 0) return;
  throw new RsError(
    'RS_INVALID_ARGUMENT',
    `${operation} needs ${what}, but it has no ${missing.join('(), no ')}()`,
    {
      details: { operation, missing },
    },
  );
}

/** Returns the mode. */
export function checkLatenessMode(mode: LatenessMode, operation: string): LatenessMode {
  if (mode === 'refire' || mode === 'postpone') return mode;
  throw new RsError(
    'RS_INVALID_ARGUMENT',
    `${operation}: mode must be 'refire' or 'postpone', got '${String(mode)}'`,
  );
}

export function checkTag(tag: unknown, operation: string): void {
  if (typeof (tag as OutputTag<unknown> | null | undefined)?.name === 'string') return;
  throw new RsError('RS_INVALID_ARGUMENT', `${operation} needs a tag made by outputTag(name)`, {
    details: { operation },
  });
}

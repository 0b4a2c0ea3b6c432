import {
  type AccumulatorOptions,
  checkCodec,
  checkObject,
  type LatenessMode,
  type OutputTag,
  RsError,
} from '@rs/core';

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

/** For operations that read the codec before they make their node. */
export function checkAccumulatorOptions(options: AccumulatorOptions<unknown>, operation: string): void {
  checkObject(options, `${operation}: options`);
  checkCodec(options.codec, `${operation}: codec`);
}

/** Refuses everything but 1, 2, 3, … */
export function checkPositiveInteger(value: unknown, what: string): void {
  if (Number.isSafeInteger(value) && (value as number) >= 1) return;
  throw new RsError('RS_INVALID_ARGUMENT', `${what} must be an integer of at least 1, got ${shown(value)}`, {
    details: { what, received: value },
  });
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

/** Refuses a value that is none of those allowed. */
export function checkChoice(value: unknown, choices: readonly unknown[], what: string): void {
  if (choices.includes(value)) return;
  throw new RsError(
    'RS_INVALID_ARGUMENT',
    `${what} must be ${choices.map(shown).join(' or ')}, got ${shown(value)}`,
    { details: { what, received: value } },
  );
}

function shown(value: unknown): string {
  if (typeof value === 'string') return `'${value}'`;
  if (typeof value === 'object' && value !== null) return 'an object';
  return typeof value === 'function' ? 'a function' : String(value);
}

/** Returns the mode. */
export function checkLatenessMode(mode: LatenessMode, operation: string): LatenessMode {
  checkChoice(mode, ['refire', 'postpone'], `${operation}: mode`);
  return mode;
}

export function checkTag(tag: unknown, operation: string): void {
  if (typeof (tag as OutputTag<unknown> | null | undefined)?.name === 'string') return;
  throw new RsError('RS_INVALID_ARGUMENT', `${operation} needs a tag made by outputTag(name)`, {
    details: { operation },
  });
}

import { RsError } from '@rs/core';
import type { PartialMatchState } from '../partial-match.ts';
import type { PatternSequenceMatcher } from '../pattern-sequence-matcher.ts';

/** Makes an event of what JSON has given back. */
export type ReviveEvent<T> = (json: unknown) => T;

/**
 * The document of a key: `{"partials":[{"startTimestamp":…,"currentStep":…,"eventsByStep":{"0":[…]}}]}`. Events are written
 * by `JSON.stringify`, so dates are ISO-8601 texts.
 *
 * @param revivable whether something turns JSON into events again; without it an event must be what comes back
 * @throws RsError `RS_INVALID_VALUE` for an event that cannot be written, or would come back as something else
 */
export function writeDocument<T>(partials: readonly PartialMatchState<T>[], revivable: boolean): string {
  const text = json({ partials });
  // After JSON.stringify, which has found the cycles.
  if (!revivable) for (const { eventsByStep } of partials) assertComesBack(eventsByStep, '');
  return text;
}

/**
 * Puts the partial matches of a document into a matcher. Properties that it does not know are ignored.
 *
 * @throws RsError `RS_INVALID_VALUE` for what no function of the same sequence has written
 */
export function restoreDocument<T>(
  matcher: PatternSequenceMatcher<T>,
  text: string,
  revive: ReviveEvent<T> | undefined,
): void {
  const { partials } = (parsed(text) ?? {}) as { readonly partials?: unknown };
  if (!Array.isArray(partials)) throw unreadable('it has no list of partials');
  const states = revive === undefined ? partials : partials.map((partial) => revived(partial, revive));
  try {
    matcher.restorePartialMatches(states as PartialMatchState<T>[]);
  } catch (error) {
    throw unreadable(error instanceof Error ? error.message : String(error), error);
  }
}

/** What is not as it should be stays as it is: the matcher says so. */
function revived<T>(partial: unknown, revive: ReviveEvent<T>): unknown {
  const { eventsByStep, ...rest } = (partial ?? {}) as Partial<PartialMatchState<unknown>>;
  const entries = Object.entries(eventsByStep ?? {}).map(([step, events]: [string, unknown]) => [
    step,
    Array.isArray(events) ? events.map((event) => revive(event)) : events,
  ]);
  return { ...rest, eventsByStep: Object.fromEntries(entries) as unknown };
}

function json(value: unknown): string {
  try {
    return JSON.stringify(value);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new RsError(
      'RS_INVALID_VALUE',
      `PatternSequenceProcessFunction: an event of a partial match cannot be stored as JSON: ${reason}; give the event a toJSON, and reviveEvent to read it again`,
      { cause: error },
    );
  }
}

/** Without this, a match would have other events after a restart than before. Absent and `undefined` properties are the same. */
function assertComesBack(value: unknown, path: string): void {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return;
  if (typeof value === 'number' && Number.isFinite(value)) return;
  if (typeof value !== 'object')
    throw changed(path, typeof value === 'number' ? String(value) : typeof value);
  if (Array.isArray(value)) {
    for (const [at, item] of value.entries()) assertComesBack(item, `${path}[${at}]`);
    return;
  }
  const prototype: unknown = Object.getPrototypeOf(value);
  // The prototype of plain objects has none itself; that holds in all realms.
  if (prototype !== null && Object.getPrototypeOf(prototype) !== null) {
    const { name } = value.constructor;
    throw changed(path, `an instance of ${name === '' ? 'a class' : name}`);
  }
  for (const [name, part] of Object.entries(value)) {
    if (part !== undefined) assertComesBack(part, path === '' ? name : `${path}.${name}`);
  }
}

function changed(path: string, what: string): RsError {
  return new RsError(
    'RS_INVALID_VALUE',
    `PatternSequenceProcessFunction: an event of a partial match has ${what} at ${path} (step, position, then the path inside), which JSON does not give back; ` +
      'let events be plain data, or pass reviveEvent, which makes an event of its JSON',
    { details: { path } },
  );
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw unreadable('it is not JSON', error);
  }
}

function unreadable(reason: string, cause?: unknown): RsError {
  return new RsError(
    'RS_INVALID_VALUE',
    `PatternSequenceProcessFunction: the stored partial matches of a key cannot be read: ${reason}; when the sequence has changed, give the operator another uid, so that it begins anew`,
    { cause },
  );
}

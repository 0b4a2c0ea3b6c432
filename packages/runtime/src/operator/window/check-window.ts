import { checkTimestamp, RsError, type Window } from '@rs/core';
import { assertSync } from '../sync-only.ts';

/**
 * Checks what a user's assigner returned: its bounds become parts of keys and times of timers. A window may be open
 * on either side.
 *
 * @throws RsError `RS_INVALID_TIMESTAMP`, or `RS_INVALID_VALUE` when the window is empty
 */
export function checkWindow(window: Window, operator: string): Window {
  const start = window.start === -Infinity ? -Infinity : checkBound(window.start, 'start', operator);
  const end = window.end === Infinity ? Infinity : checkBound(window.end, 'end', operator);
  return checkNotEmpty({ start, end }, operator);
}

/** As {@link checkWindow}, for windows that move when they merge: these have a start and an end. */
export function checkBoundedWindow({ start, end }: Window, operator: string): Window {
  const bounded = { start: checkBound(start, 'start', operator), end: checkBound(end, 'end', operator) };
  return checkNotEmpty(bounded, operator);
}

function checkBound(bound: number, which: 'start' | 'end', operator: string): number {
  return checkTimestamp(bound, `${operator}: ${which} of an assigned window`);
}

function checkNotEmpty(window: Window, operator: string): Window {
  if (window.end > window.start) return window;
  throw new RsError(
    'RS_INVALID_VALUE',
    `${operator}: the assigner gave the empty window [${window.start}, ${window.end})`,
  );
}

/** What an assigner returned must be a list, and there at once. */
export function checkWindowList(windows: unknown, operator: string): readonly Window[] {
  assertSync(`${operator}: its window assigner`, windows);
  if (Array.isArray(windows)) return windows as readonly Window[];
  throw new RsError(
    'RS_INVALID_VALUE',
    `${operator}: the assigner must give an array of windows, got ${windows === null ? 'null' : typeof windows}`,
  );
}

import { checkTimestamp, RsError, type Window } from '@rs/core';

/**
 * Checks what a user's assigner returned: its bounds become parts of keys and times of timers.
 *
 * @throws RsError `RS_INVALID_TIMESTAMP`, or `RS_INVALID_VALUE` when the window is empty
 */
export function checkWindow({ start, end }: Window, operator: string): Window {
  const checked = {
    start: checkTimestamp(start, `${operator}: start of an assigned window`),
    end: checkTimestamp(end, `${operator}: end of an assigned window`),
  };
  if (end > start) return checked;
  throw new RsError('RS_INVALID_VALUE', `${operator}: the assigner gave the empty window [${start}, ${end})`);
}

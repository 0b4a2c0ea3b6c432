import type { Window } from '@rs/core';
import { TimeWindow } from './time-window.ts';

/** Whether sessions of which the one starts where the other ends stay two (`separate`) or become one (`merge`). */
export type Touching = 'separate' | 'merge';

/** What a new element does to the sessions of its key. */
export interface SessionMerge<S extends Window> {
  /**
   * The session the element belongs to: the seed when it meets no session; `absorbed[0]` when that one contains the
   * seed already, so that no bound changes; else a new window that covers the seed and all absorbed sessions.
   */
  readonly window: Window;
  /** The sessions that `window` replaces, in the order of their starts. */
  readonly absorbed: readonly S[];
  /** Where `window` belongs: `sessions.splice(position, absorbed.length, …)` keeps the list sorted. */
  readonly position: number;
}

const NOTHING: readonly never[] = Object.freeze([]);

/**
 * Finds the sessions which a new element joins. Pure: `sessions` is left as it is. Takes O(log n) plus the number of
 * absorbed sessions.
 *
 * The order in which elements arrive does not matter: in the end the sessions are the unions of the seeds that
 * intersect (or touch).
 *
 * @typeParam S what the engine keeps for a session; only its bounds are read
 * @param sessions the sessions of one key, sorted by start, none of which would merge with another under `touching`
 * @param seed the window of the element alone, `[timestamp, timestamp + gap)`
 */
export function mergeSession<S extends Window>(
  sessions: readonly S[],
  seed: Window,
  touching: Touching,
): SessionMerge<S> {
  const position = firstReaching(sessions, seed, touching);
  let next = position;
  while (next < sessions.length && reaches(seed, sessions[next] as S, touching)) next++;
  if (next === position) return { window: seed, absorbed: NOTHING, position };

  // Sessions are disjoint, so what the absorbed ones add on either side cannot reach a further session.
  const first = sessions[position] as S;
  const last = sessions[next - 1] as S;
  const grows = seed.start < first.start || seed.end > last.end || first !== last;
  const window = grows
    ? new TimeWindow(Math.min(seed.start, first.start), Math.max(seed.end, last.end))
    : first;
  return { window, absorbed: sessions.slice(position, next), position };
}

/** Index of the first session that does not end before `seed` starts. */
function firstReaching(sessions: readonly Window[], seed: Window, touching: Touching): number {
  let low = 0;
  let high = sessions.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (reaches(sessions[middle] as Window, seed, touching)) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** True unless `a` ends before `b` starts. Two windows are one session when each reaches the other. */
function reaches(a: Window, b: Window, touching: Touching): boolean {
  return touching === 'merge' ? a.end >= b.start : a.end > b.start;
}

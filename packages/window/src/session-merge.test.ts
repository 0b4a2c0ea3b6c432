import type { Window } from '@rs/core';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { mergeSession, type Touching } from './session-merge.ts';
import { TimeWindow } from './time-window.ts';

interface Session extends Window {
  readonly elements: readonly number[];
}

/** Lets one element join the sessions of its key, as an engine does. */
function add(sessions: Session[], timestamp: number, gap: number, touching: Touching): void {
  const seed = new TimeWindow(timestamp, timestamp + gap);
  const { window, absorbed, position } = mergeSession(sessions, seed, touching);
  const elements = [...absorbed.flatMap((session) => session.elements), timestamp];
  sessions.splice(position, absorbed.length, { start: window.start, end: window.end, elements });
}

function sessionsOf(timestamps: readonly number[], gap: number, touching: Touching = 'separate'): Session[] {
  const sessions: Session[] = [];
  for (const timestamp of timestamps) add(sessions, timestamp, gap, touching);
  return sessions;
}

/** `[start,end)count` per session. */
function summary(sessions: readonly Session[]): string[] {
  return sessions.map((s) => `[${s.start},${s.end})${s.elements.length}`);
}

/** Unites seeds pair by pair until no two belong together: slow, and nothing to get wrong. */
function naiveUnion(timestamps: readonly number[], gap: number, touching: Touching): string[] {
  const belongTogether = (a: Window, b: Window) =>
    touching === 'merge' ? TimeWindow.intersectsOrTouches(a, b) : TimeWindow.intersects(a, b);
  let groups = timestamps.map((t) => ({ window: new TimeWindow(t, t + gap), count: 1 }));
  for (let changed = true; changed;) {
    changed = false;
    for (const a of groups) {
      const b = groups.find((other) => other !== a && belongTogether(a.window, other.window));
      if (b === undefined) continue;
      const union = { window: TimeWindow.cover(a.window, b.window), count: a.count + b.count };
      groups = [...groups.filter((group) => group !== a && group !== b), union];
      changed = true;
      break;
    }
  }
  return groups.sort((a, b) => a.window.start - b.window.start).map((g) => `${String(g.window)}${g.count}`);
}

function permutations<X>(items: readonly X[]): X[][] {
  if (items.length <= 1) return [[...items]];
  return items.flatMap((item, i) =>
    permutations([...items.slice(0, i), ...items.slice(i + 1)]).map((rest) => [item, ...rest]),
  );
}

describe('mergeSession', () => {
  test('elements less than a gap apart are one session', () => {
    expect(summary(sessionsOf([0, 50, 120, 170], 100))).toEqual(['[0,270)4']);
  });

  test('elements exactly a gap apart are two sessions, or one where touching windows merge', () => {
    expect(summary(sessionsOf([0, 100], 100))).toEqual(['[0,100)1', '[100,200)1']);
    expect(summary(sessionsOf([0, 100], 100, 'merge'))).toEqual(['[0,200)2']);
    expect(summary(sessionsOf([100, 0], 100, 'merge'))).toEqual(['[0,200)2']);
    expect(summary(sessionsOf([0, 101], 100, 'merge'))).toEqual(['[0,100)1', '[101,201)1']);
  });

  test('an element can bridge two sessions', () => {
    expect(summary(sessionsOf([0, 150], 100))).toEqual(['[0,100)1', '[150,250)1']);
    expect(summary(sessionsOf([0, 150, 80], 100))).toEqual(['[0,250)3']);
  });

  test('bridging leaves one session whatever the order, and nothing of the old ones', () => {
    for (const order of permutations([1, 9, 5])) {
      expect(summary(sessionsOf(order, 5))).toEqual(['[1,14)3']);
      expect(summary(sessionsOf([...order, 5], 5))).toEqual(['[1,14)4']);
    }
    expect(summary(sessionsOf([9], 5))).toEqual(['[9,14)1']);
  });

  test('an element that meets nothing is put in its place', () => {
    const sessions = sessionsOf([0, 100], 10);
    const seed = new TimeWindow(50, 60);
    const result = mergeSession(sessions, seed, 'separate');
    expect(result).toEqual({ window: seed, absorbed: [], position: 1 });
    expect(result.window).toBe(seed);
    expect(mergeSession(sessions, new TimeWindow(-50, -40), 'separate').position).toBe(0);
    expect(mergeSession(sessions, new TimeWindow(500, 510), 'separate').position).toBe(2);
    expect(mergeSession([], seed, 'merge')).toEqual({ window: seed, absorbed: [], position: 0 });
  });

  test('a seed inside a session changes no bounds, and that is visible by identity', () => {
    const sessions = sessionsOf([0, 8], 10);
    const inside = mergeSession(sessions, new TimeWindow(5, 15), 'separate');
    expect(inside.absorbed).toEqual(sessions);
    expect(inside.window).toBe(sessions[0]);

    const growing = mergeSession(sessions, new TimeWindow(9, 19), 'separate');
    expect(growing.absorbed).toEqual(sessions);
    expect(growing.window).not.toBe(sessions[0]);
    expect(growing.window).toEqual(new TimeWindow(0, 19));
  });

  test('returns the sessions themselves, in order, and leaves the list alone', () => {
    const sessions = sessionsOf([0, 20, 40, 60], 15);
    const before = [...sessions];
    const { absorbed, position, window } = mergeSession(sessions, new TimeWindow(30, 45), 'separate');
    expect(absorbed).toEqual([sessions[1], sessions[2]]);
    absorbed.forEach((session, i) => expect(session).toBe(sessions[i + 1]));
    expect(position).toBe(1);
    expect(window).toEqual(new TimeWindow(20, 55));
    expect(sessions).toEqual(before);
  });

  test('seeds of different lengths are allowed: one can absorb many sessions', () => {
    const sessions = sessionsOf([0, 20, 40, 60], 10);
    const { absorbed, window } = mergeSession(sessions, new TimeWindow(-5, 55), 'separate');
    expect(absorbed).toHaveLength(3);
    expect(window).toEqual(new TimeWindow(-5, 55));
  });

  test('every order of arrival ends in the naive union of intervals', () => {
    const gaps = fc.integer({ min: 1, max: 12 });
    const timestamps = fc.array(fc.integer({ min: -30, max: 30 }), { minLength: 1, maxLength: 5 });
    fc.assert(
      fc.property(
        timestamps,
        gaps,
        fc.constantFrom<Touching>('separate', 'merge'),
        (times, gap, touching) => {
          const expected = naiveUnion(times, gap, touching);
          for (const order of permutations(times)) {
            expect(summary(sessionsOf(order, gap, touching))).toEqual(expected);
          }
        },
      ),
      { numRuns: 150 },
    );
  });

  test('long streams end in the naive union and keep the list sorted and disjoint on the way', () => {
    const timestamps = fc.array(fc.integer({ min: -300, max: 300 }), { maxLength: 60 });
    const gaps = fc.integer({ min: 1, max: 15 });
    fc.assert(
      fc.property(
        timestamps,
        gaps,
        fc.constantFrom<Touching>('separate', 'merge'),
        (times, gap, touching) => {
          const sessions: Session[] = [];
          for (const time of times) {
            add(sessions, time, gap, touching);
            for (let i = 1; i < sessions.length; i++) {
              const [left, right] = [sessions[i - 1] as Session, sessions[i] as Session];
              expect(left.end).toBeLessThanOrEqual(touching === 'merge' ? right.start - 1 : right.start);
            }
          }
          expect(summary(sessions)).toEqual(naiveUnion(times, gap, touching));
        },
      ),
      { numRuns: 150 },
    );
  });
});

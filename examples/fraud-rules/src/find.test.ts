import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { AccountEvent } from './account-event.ts';
import { generate, MAX_DELAY } from './data/generate.ts';
import { findAlone } from './find-alone.ts';
import { findAsJob } from './find-as-job.ts';
import { outcomeOf } from './outcome.ts';

/** The events that a job takes into account: those that the latest time so far, minus the out-of-orderness, has not passed. */
function inTime(events: readonly AccountEvent[], outOfOrderness: number): AccountEvent[] {
  let latest = -Infinity;
  return events.filter(({ at }) => {
    const takesPart = at >= latest - outOfOrderness;
    latest = Math.max(latest, at);
    return takesPart;
  });
}

const data = generate({ accounts: 300, seed: 1 });
const anyData = fc.record({ accounts: fc.integer({ min: 1, max: 60 }), seed: fc.nat() });

describe('what was planted is found, and nothing else', () => {
  test('among 300 accounts', () => {
    const { events, frauds, lookAlikes } = data;
    const { alerts } = findAlone(events);
    expect(outcomeOf(alerts, frauds)).toEqual({ found: frauds, missed: [], falseAlerts: [] });
    const told = new Set(alerts.flatMap((alert) => alert.events.map(({ id }) => id)));
    expect(frauds).toHaveLength(24);
    expect(lookAlikes.filter((lookAlike) => lookAlike.events.some((id) => told.has(id)))).toEqual([]);
  });

  test('among any accounts', () => {
    fc.assert(
      fc.property(anyData, (options) => {
        const { events, frauds } = generate(options);
        const { missed, falseAlerts } = outcomeOf(findAlone(events).alerts, frauds);
        expect({ missed, falseAlerts }).toEqual({ missed: [], falseAlerts: [] });
      }),
      { numRuns: 20, seed: 1 },
    );
  });
});

describe('a job finds what matchers alone find', () => {
  test('in events that arrive out of order', async () => {
    const { events } = generate({ accounts: 50, seed: 1 });
    const alone = findAlone(events);
    expect(alone.alerts).toHaveLength(4);
    expect(await findAsJob(events, { outOfOrderness: MAX_DELAY })).toEqual(alone);
  });

  test('in those that are not late', async () => {
    const outOfOrderness = fc.constantFrom(0, 100, 1_000);
    await fc.assert(
      fc.asyncProperty(fc.nat(), outOfOrderness, async (seed, millis) => {
        const { events } = generate({ accounts: 8, seed });
        const taken = inTime(events, millis);
        expect(await findAsJob(events, { outOfOrderness: millis })).toEqual({
          events: events.length,
          late: events.length - taken.length,
          alerts: findAlone(taken).alerts,
        });
      }),
      { numRuns: 8, seed: 1 },
    );
  });

  test('where all happens at once, in the order of the ids', async () => {
    const events = generate({ accounts: 2, seed: 1 })
      .events.map((event) => ({ ...event, at: 0 }))
      .reverse();
    const alone = findAlone(events);
    expect(alone.alerts).not.toEqual([]);
    expect(await findAsJob(events, { outOfOrderness: 0 })).toEqual(alone);
  });

  test('late events cost alerts', async () => {
    const { events, frauds } = data;
    const taken = inTime(events, 0);
    expect(taken.length).toBeLessThan(events.length);
    expect(outcomeOf(findAlone(taken).alerts, frauds).missed).not.toEqual([]);
  });

  test('and tells how far it is, and yields nothing when it was cancelled', async () => {
    const { events } = generate({ accounts: 1, seed: 1 });
    const progress: number[] = [];
    await findAsJob(events, { outOfOrderness: 0, onProgress: (read) => progress.push(read) });
    expect(progress).toEqual(events.map((_, i) => i + 1));
    expect(await findAsJob(events, { outOfOrderness: 0, signal: AbortSignal.abort() })).toBeUndefined();
  });
});

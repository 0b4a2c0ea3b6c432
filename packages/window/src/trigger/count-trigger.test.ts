import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { FakeTriggerContext } from '../test-support/fake-trigger-context.ts';
import { TimeWindow } from '../time-window.ts';
import { CountTrigger } from './count-trigger.ts';

const window = new TimeWindow(0, 1000);

/** Feeds `count` elements and returns the answers. */
function feed(trigger: CountTrigger, ctx: FakeTriggerContext, count: number): string[] {
  return Array.from({ length: count }, (_, i) => trigger.onElement(i, i, window, ctx));
}

/** The context of a window into which windows with these element counts were merged. */
function merged(trigger: CountTrigger, counts: readonly number[]): FakeTriggerContext {
  const absorbed = counts.map((count) => {
    const ctx = new FakeTriggerContext(999);
    feed(trigger, ctx, count);
    return ctx;
  });
  const ctx = new FakeTriggerContext(999);
  ctx.absorbed = absorbed;
  trigger.onMerge(
    window,
    counts.map(() => window),
    ctx,
  );
  ctx.absorbed = [];
  return ctx;
}

describe('CountTrigger', () => {
  test('fires at every n-th element and counts anew', () => {
    expect(feed(CountTrigger.of(3), new FakeTriggerContext(999), 7)).toEqual([
      'CONTINUE',
      'CONTINUE',
      'FIRE',
      'CONTINUE',
      'CONTINUE',
      'FIRE',
      'CONTINUE',
    ]);
    expect(feed(CountTrigger.of(1), new FakeTriggerContext(999), 3)).toEqual(['FIRE', 'FIRE', 'FIRE']);
  });

  test('one trigger serves many windows: the count is in their state, and nothing stays after a firing', () => {
    const trigger = CountTrigger.of(2);
    const [a, b] = [new FakeTriggerContext(999), new FakeTriggerContext(999)];
    expect(feed(trigger, a, 1)).toEqual(['CONTINUE']);
    expect(feed(trigger, b, 1)).toEqual(['CONTINUE']);
    expect(Object.fromEntries(a.stored)).toEqual({ count: 1 });
    expect(feed(trigger, a, 1)).toEqual(['FIRE']);
    expect(a.stored.size).toBe(0);
    expect(Object.fromEntries(b.stored)).toEqual({ count: 1 });
  });

  test('declares the state it uses', () => {
    expect(CountTrigger.of(2).states.map(({ kind, name }) => [kind, name])).toEqual([['value', 'count']]);
  });

  test('neither clock fires it', () => {
    expect(CountTrigger.of(2).onEventTime()).toBe('CONTINUE');
    expect(CountTrigger.of(2).onProcessingTime()).toBe('CONTINUE');
  });

  test('a merge adds the counts', () => {
    const trigger = CountTrigger.of(10);
    const ctx = merged(trigger, [2, 3]);
    expect(feed(trigger, ctx, 5)).toEqual(['CONTINUE', 'CONTINUE', 'CONTINUE', 'CONTINUE', 'FIRE']);
  });

  test('a session that only grows keeps its count', () => {
    const trigger = CountTrigger.of(3);
    expect(feed(trigger, merged(trigger, [2]), 1)).toEqual(['FIRE']);
  });

  test('a sum of n or more fires once, with the next element, and counts from 0', () => {
    const trigger = CountTrigger.of(4);
    const ctx = merged(trigger, [3, 3]);
    expect(feed(trigger, ctx, 5)).toEqual(['FIRE', 'CONTINUE', 'CONTINUE', 'CONTINUE', 'FIRE']);
  });

  test('windows that have just fired bring no count', () => {
    const trigger = CountTrigger.of(2);
    const ctx = merged(trigger, [2, 4]);
    expect(ctx.stored.size).toBe(0);
    expect(feed(trigger, ctx, 2)).toEqual(['CONTINUE', 'FIRE']);
  });

  test('after any merge it fires as one window would that has the same open count', () => {
    const counts = fc.array(fc.nat(12), { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 6 }), counts, (n, parts) => {
        const trigger = CountTrigger.of(n);
        const open = parts.reduce((sum, count) => sum + (count % n), 0);
        const untilFiring = Math.max(1, n - open);
        const answers = feed(trigger, merged(trigger, parts), untilFiring + n);
        const firings = answers.flatMap((answer, i) => (answer === 'FIRE' ? [i + 1] : []));
        expect(firings).toEqual([untilFiring, untilFiring + n]);
      }),
      { numRuns: 300 },
    );
  });

  test.each([0, -1, 1.5, NaN, Infinity])('refuses n = %d', (n) => {
    expect(() => CountTrigger.of(n)).toThrow(
      expect.objectContaining({
        code: 'RS_INVALID_ARGUMENT',
        details: { what: 'CountTrigger.of: n', received: n },
      }),
    );
  });
});

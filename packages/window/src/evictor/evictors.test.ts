import type { Evictor, EvictorContext, TimestampedElement } from '@rs/core';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { TimeWindow } from '../time-window.ts';
import { CountEvictor } from './count-evictor.ts';
import { DeltaEvictor } from './delta-evictor.ts';
import { EVICTOR_DEFAULTS, type EvictorOptions } from './options.ts';
import { TimeEvictor } from './time-evictor.ts';

type Elements = readonly TimestampedElement<number>[];

const window = new TimeWindow(0, 1000);
const ctx: EvictorContext = { currentWatermark: () => 999, currentProcessingTime: () => 5000 };
const distance = (older: number, newer: number) => Math.abs(newer - older);

/** What stays of elements with these values, whose timestamps are the same numbers. */
function kept(evictor: Evictor<number>, values: readonly number[]): number[] {
  const elements: Elements = values.map((value) => ({ value, timestamp: value }));
  return (evictor.evictBefore?.(elements, window, ctx) ?? []).map(({ value }) => value);
}

const kinds: [string, (options?: EvictorOptions) => Evictor<number>, (elements: Elements) => Elements][] = [
  [
    'CountEvictor',
    (options) => CountEvictor.of(3, options),
    (elements) => elements.filter((_, i) => i >= elements.length - 3),
  ],
  [
    'TimeEvictor',
    (options) => TimeEvictor.of(20, options),
    (elements) => elements.filter((one) => elements.every((other) => one.timestamp > other.timestamp - 20)),
  ],
  [
    'DeltaEvictor',
    (options) => DeltaEvictor.of(10, distance, options),
    (elements) =>
      elements.filter((one) => distance(one.value, elements[elements.length - 1]?.value ?? NaN) < 10),
  ],
];

describe.each(kinds)('%s', (_name, make, model) => {
  test('removes before the function by default, or after it', () => {
    expect(EVICTOR_DEFAULTS.after).toBe(false);
    for (const before of [make(), make({}), make({ after: false })]) {
      expect([before.evictBefore === undefined, before.evictAfter === undefined]).toEqual([false, true]);
      expect(before.describe()).not.toContain('after');
    }
    const after = make({ after: true });
    expect([after.evictBefore === undefined, after.evictAfter === undefined]).toEqual([true, false]);
    expect(after.describe()).toContain(', after)');
  });

  test('keeps what a naive model keeps, the same objects in their order, and leaves its input alone', () => {
    const elements = fc.array(
      fc.record({ value: fc.integer({ min: -30, max: 30 }), timestamp: fc.integer({ min: -40, max: 40 }) }),
      { maxLength: 12 },
    );
    fc.assert(
      fc.property(elements, (input) => {
        const frozen: Elements = Object.freeze([...input]);
        const expected = model(frozen);
        const before = make().evictBefore?.(frozen, window, ctx);
        expect(before).toEqual(expected);
        before?.forEach((one, i) => expect(one).toBe(expected[i]));
        expect(make({ after: true }).evictAfter?.(frozen, window, ctx)).toEqual(expected);
        expect(make().evictBefore?.(expected, window, ctx)).toEqual(expected);
        expect(frozen).toEqual(input);
      }),
      { numRuns: 500 },
    );
  });

  test('has nothing to remove from nothing', () => {
    expect(make().evictBefore?.([], window, ctx)).toEqual([]);
  });

  test('refuses an option that is no boolean, as JavaScript callers may pass', () => {
    for (const options of [{ after: 'yes' }, { after: null }, null, 5, []]) {
      expect(() => make(options as never)).toThrow(expect.objectContaining({ code: 'RS_INVALID_ARGUMENT' }));
    }
  });
});

describe('CountEvictor', () => {
  test('keeps the last n in the order of arrival', () => {
    expect(kept(CountEvictor.of(2), [5, 1, 9, 3])).toEqual([9, 3]);
    expect(kept(CountEvictor.of(4), [5, 1, 9, 3])).toEqual([5, 1, 9, 3]);
    expect(CountEvictor.of(2).describe()).toBe('count(2)');
  });

  test.each([0, -1, 1.5, NaN, Infinity])('refuses n = %d', (received) => {
    expect(() => CountEvictor.of(received)).toThrow(
      expect.objectContaining({
        code: 'RS_INVALID_ARGUMENT',
        details: { what: 'CountEvictor.of: n', received },
      }),
    );
  });
});

describe('TimeEvictor', () => {
  test('counts from the newest timestamp, wherever it stands, not from a clock', () => {
    expect(kept(TimeEvictor.of(10), [5, 20, 11, 10, 15])).toEqual([20, 11, 15]);
    expect(kept(TimeEvictor.of(1), [7, 8, 8, 7])).toEqual([8, 8]);
    expect(TimeEvictor.of('5s', { after: true }).describe()).toBe('time(5000, after)');
  });

  test('takes as many elements as there are', () => {
    const many = Array.from({ length: 300_000 }, (_, i) => i);
    expect(kept(TimeEvictor.of(2), many)).toEqual([299_998, 299_999]);
  });

  test.each([0, -1, NaN, 2 ** 51])('refuses duration %d', (duration) => {
    expect(() => TimeEvictor.of(duration)).toThrow(
      expect.objectContaining({
        code: 'RS_INVALID_DURATION',
        message: expect.stringContaining('TimeEvictor.of: duration'),
      }),
    );
  });
});

describe('DeltaEvictor', () => {
  test('removes what is as far from the last element as the threshold', () => {
    expect(kept(DeltaEvictor.of(5, distance), [10, 16, 24, 15, 20])).toEqual([16, 24, 20]);
    expect(DeltaEvictor.of(0.5, distance).describe()).toBe('delta(0.5)');
  });

  test('the function gets the older element first', () => {
    const driven = DeltaEvictor.of(100, (older: number, newer: number) => newer - older);
    expect(kept(driven, [0, 100, 101, 500, 200])).toEqual([101, 500, 200]);
  });

  test.each([NaN, undefined, Promise.resolve(1)])('refuses %p as a distance', (wrong) => {
    // @ts-expect-error -- as a JavaScript caller may
    const evictor = DeltaEvictor.of<number>(5, () => wrong);
    expect(() => kept(evictor, [1, 2])).toThrow(
      expect.objectContaining({ code: 'RS_INVALID_VALUE', message: expect.stringMatching(/^DeltaEvictor:/) }),
    );
  });

  test.each([0, -1, NaN, Infinity])('refuses threshold %d', (threshold) => {
    expect(() => DeltaEvictor.of(threshold, distance)).toThrow(
      expect.objectContaining({ code: 'RS_INVALID_ARGUMENT', details: { received: threshold } }),
    );
  });
});

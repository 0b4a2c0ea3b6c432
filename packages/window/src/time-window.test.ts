import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { TimeWindow } from './time-window.ts';

const windows = fc
  .tuple(fc.integer({ min: -50, max: 50 }), fc.integer({ min: 1, max: 20 }))
  .map(([start, size]) => new TimeWindow(start, start + size));

/** The milliseconds of a window, one by one. */
function members(window: TimeWindow): number[] {
  return Array.from({ length: window.size }, (_, i) => window.start + i);
}

describe('TimeWindow', () => {
  test('holds its start and not its end', () => {
    const window = new TimeWindow(-1000, 500);
    expect([window.start, window.end, window.size, window.maxTimestamp()]).toEqual([-1000, 500, 1500, 499]);
    expect(window.contains(-1000)).toBe(true);
    expect(window.contains(499)).toBe(true);
    expect(window.contains(500)).toBe(false);
    expect(window.contains(-1001)).toBe(false);
    expect(String(window)).toBe('[-1000,500)');
  });

  test('equals every window with the same bounds', () => {
    const window = new TimeWindow(0, 10);
    expect(window.equals(new TimeWindow(0, 10))).toBe(true);
    expect(window.equals({ start: 0, end: 10 })).toBe(true);
    expect(window.equals(new TimeWindow(0, 11))).toBe(false);
    expect(window.equals(new TimeWindow(1, 10))).toBe(false);
  });

  test('has no -0 as a bound', () => {
    expect(Object.is(new TimeWindow(-0, 5).start, 0)).toBe(true);
    expect(Object.is(new TimeWindow(-5, -0).end, 0)).toBe(true);
  });

  test.each([
    [5, 5],
    [5, 4],
    [0, -0],
    [0.5, 2],
    [0, 2.5],
    [NaN, 1],
    [0, Infinity],
    [-Infinity, 0],
    [0, 2 ** 53],
  ])('refuses [%d, %d)', (start, end) => {
    expect(() => new TimeWindow(start, end)).toThrow(
      expect.objectContaining({ code: 'RS_INVALID_ARGUMENT', details: { start, end } }),
    );
  });

  test('refuses bounds that are no numbers, naming them', () => {
    // @ts-expect-error -- as a JavaScript caller may
    expect(() => new TimeWindow('0', undefined)).toThrow(
      expect.objectContaining({
        code: 'RS_INVALID_ARGUMENT',
        message: expect.stringContaining('end undefined'),
      }),
    );
  });

  test('windows that only touch do not intersect', () => {
    const [left, right] = [new TimeWindow(0, 5), new TimeWindow(5, 9)];
    expect(TimeWindow.intersects(left, right)).toBe(false);
    expect(TimeWindow.intersects(right, left)).toBe(false);
    expect(TimeWindow.intersectsOrTouches(left, right)).toBe(true);
    expect(TimeWindow.intersectsOrTouches(right, left)).toBe(true);
    expect(TimeWindow.intersectsOrTouches(left, new TimeWindow(6, 9))).toBe(false);
    expect(TimeWindow.intersectsOrTouches(new TimeWindow(6, 9), left)).toBe(false);
  });

  test('cover spans windows that are apart', () => {
    expect(String(TimeWindow.cover(new TimeWindow(20, 30), new TimeWindow(0, 5)))).toBe('[0,30)');
  });

  test('agrees with the windows taken as sets of milliseconds', () => {
    fc.assert(
      fc.property(windows, windows, (a, b) => {
        const common = members(a).some((t) => members(b).includes(t));
        expect(TimeWindow.intersects(a, b)).toBe(common);
        expect(TimeWindow.intersectsOrTouches(a, b)).toBe(common || a.end === b.start || b.end === a.start);

        const all = [...members(a), ...members(b)];
        const cover = TimeWindow.cover(a, b);
        expect([cover.start, cover.maxTimestamp()]).toEqual([Math.min(...all), Math.max(...all)]);
        expect(TimeWindow.cover(b, a).equals(cover)).toBe(true);
      }),
      { numRuns: 500 },
    );
  });
});

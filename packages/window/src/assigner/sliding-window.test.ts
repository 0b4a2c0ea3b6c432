import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { MAX_WINDOWS_PER_ELEMENT } from './limits.ts';
import { SlidingWindow } from './sliding-window.ts';

function windowsOf(assigner: SlidingWindow, timestamp: number): string[] {
  return assigner.assignWindows('element', timestamp).map(String);
}

/** Size, slide, offset and a timestamp, small enough to list the whole grid. */
const grids = fc
  .tuple(
    fc.integer({ min: 1, max: 30 }),
    fc.integer({ min: 1, max: 30 }),
    fc.integer({ min: -150, max: 150 }),
  )
  .chain(([size, slide, timestamp]) =>
    fc.record({
      size: fc.constant(size),
      slide: fc.constant(slide),
      offset: fc.integer({ min: 1 - slide, max: slide - 1 }),
      timestamp: fc.constant(timestamp),
    }),
  );

/** Every window of the grid that contains the timestamp, newest first, found by trying all. */
function naive(size: number, slide: number, offset: number, timestamp: number): string[] {
  const found: string[] = [];
  for (let k = 300; k >= -300; k--) {
    const start = offset + k * slide;
    if (start <= timestamp && timestamp < start + size) found.push(`[${start},${start + size})`);
  }
  return found;
}

describe('SlidingWindow', () => {
  test.each([
    [0, ['[0,10000)', '[-5000,5000)']],
    [12_000, ['[10000,20000)', '[5000,15000)']],
  ])('of 10 s every 5 s puts %d into its windows, newest first', (timestamp, expected) => {
    expect(windowsOf(SlidingWindow.of('10s', '5s'), timestamp)).toEqual(expected);
  });

  test('a slide that does not divide the size gives one window more or less by position', () => {
    const assigner = SlidingWindow.of(11, 10);
    expect(windowsOf(assigner, 10)).toEqual(['[10,21)', '[0,11)']);
    expect(windowsOf(assigner, 11)).toEqual(['[10,21)']);
    expect(windowsOf(SlidingWindow.of(100, 1), 5)).toHaveLength(100);
  });

  test('times before 1970, without -0 as a bound', () => {
    expect(windowsOf(SlidingWindow.of(10, 3), -1)).toEqual(['[-3,7)', '[-6,4)', '[-9,1)']);
    const bounds = SlidingWindow.of(10, 5)
      .assignWindows('element', -1)
      .flatMap((window) => [window.start, window.end]);
    expect(bounds.some((bound) => Object.is(bound, -0))).toBe(false);
    expect(bounds).toEqual([-5, 5, -10, 0]);
  });

  test('a slide longer than the size leaves gaps, whose elements have no window', () => {
    const assigner = SlidingWindow.of(10_000, 15_000);
    expect(windowsOf(assigner, 20_000)).toEqual(['[15000,25000)']);
    expect(windowsOf(assigner, 25_000)).toEqual([]);
    expect(windowsOf(assigner, 29_999)).toEqual([]);
    expect(windowsOf(assigner, 30_000)).toEqual(['[30000,40000)']);
    expect(assigner.aligned.lastStart(29_999)).toBe(15_000);
    expect(assigner.aligned.lastStart(-1)).toBe(-15_000);
  });

  test('one event every 2 s: full windows count 5, the edges fewer, each event twice in all', () => {
    const counts = new Map<string, number>();
    for (let timestamp = 0; timestamp <= 28_000; timestamp += 2000) {
      for (const window of windowsOf(SlidingWindow.of(10_000, 5000), timestamp)) {
        counts.set(window, (counts.get(window) ?? 0) + 1);
      }
    }
    expect(Object.fromEntries(counts)).toEqual({
      '[-5000,5000)': 3,
      '[0,10000)': 5,
      '[5000,15000)': 5,
      '[10000,20000)': 5,
      '[15000,25000)': 5,
      '[20000,30000)': 5,
      '[25000,35000)': 2,
    });
    expect([...counts.values()].reduce((a, b) => a + b)).toBe(30);
  });

  test('equals a search over the whole grid', () => {
    fc.assert(
      fc.property(grids, ({ size, slide, offset, timestamp }) => {
        const assigner = SlidingWindow.of(size, slide, { offset });
        expect(windowsOf(assigner, timestamp)).toEqual(naive(size, slide, offset, timestamp));
      }),
      { numRuns: 1000 },
    );
  });

  test('over a whole number of slides the window counts add up to elements times size', () => {
    fc.assert(
      fc.property(grids, ({ size, slide, offset, timestamp }) => {
        const assigner = SlidingWindow.of(size, slide, { offset });
        // One element per millisecond of one period: each of its windows' milliseconds is met exactly once.
        let total = 0;
        for (let t = timestamp; t < timestamp + slide; t++) total += windowsOf(assigner, t).length;
        expect(total).toBe(size);
      }),
      { numRuns: 300 },
    );
  });

  test('at the ends of time it refuses and does not hang', () => {
    const assigner = SlidingWindow.of(1000, 1);
    for (const timestamp of [Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER, NaN, Infinity]) {
      const refusal = expect.objectContaining({ code: 'RS_INVALID_TIMESTAMP' });
      expect(() => assigner.assignWindows('element', timestamp)).toThrow(refusal);
      expect(() => assigner.aligned.lastStart(timestamp)).toThrow(refusal);
    }
    expect(windowsOf(assigner, -8.64e15)).toHaveLength(1000);
    expect(windowsOf(assigner, 8.64e15)).toHaveLength(1000);
  });

  test('an element can be in many windows, but not in absurdly many', () => {
    expect(windowsOf(SlidingWindow.of(MAX_WINDOWS_PER_ELEMENT, 1), 0)).toHaveLength(MAX_WINDOWS_PER_ELEMENT);
    const refusal = expect.objectContaining({
      code: 'RS_INVALID_ARGUMENT',
      message: expect.stringContaining('10001'),
    });
    expect(() => SlidingWindow.of(MAX_WINDOWS_PER_ELEMENT + 1, 1)).toThrow(refusal);
    expect(() => SlidingWindow.of(2 * MAX_WINDOWS_PER_ELEMENT + 1, 2)).toThrow(refusal);
  });

  test.each([
    [0, 1, 'size'],
    [10, 0, 'slide'],
    [-10, 5, 'size'],
    [10, -5, 'slide'],
    [10, NaN, 'slide'],
    [2 ** 51, 2 ** 50, 'size'],
    [10, 2 ** 51, 'slide'],
  ])('refuses size %d with slide %d', (size, slide, named) => {
    expect(() => SlidingWindow.of(size, slide)).toThrow(
      expect.objectContaining({ code: 'RS_INVALID_DURATION', message: expect.stringContaining(named) }),
    );
  });

  test('the offset is bounded by the slide, not by the size', () => {
    expect(windowsOf(SlidingWindow.of(10, 5, { offset: -4 }), 0)).toEqual(['[-4,6)', '[-9,1)']);
    expect(windowsOf(SlidingWindow.of(5, 20, { offset: 12 }), 13)).toEqual(['[12,17)']);
    for (const offset of [5, -5, 9]) {
      expect(() => SlidingWindow.of(10, 5, { offset })).toThrow(
        expect.objectContaining({ code: 'RS_INVALID_ARGUMENT', details: { offset, period: 5 } }),
      );
    }
  });
});

import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { TumblingWindow } from './tumbling-window.ts';

function windowsOf(assigner: TumblingWindow, timestamp: number): string[] {
  return assigner.assignWindows('element', timestamp).map(String);
}

describe('TumblingWindow', () => {
  test.each([
    [-1, '[-1000,0)'],
    [0, '[0,1000)'],
    [999, '[0,1000)'],
    [1000, '[1000,2000)'],
  ])('of 1000 puts %d into %s', (timestamp, window) => {
    expect(windowsOf(TumblingWindow.of(1000), timestamp)).toEqual([window]);
  });

  test('times before 1970 go into the window that holds them, without -0 as a bound', () => {
    const assigner = TumblingWindow.of(10);
    expect([-1, -10, -11, 0, 9].map((t) => windowsOf(assigner, t)[0])).toEqual([
      '[-10,0)',
      '[-10,0)',
      '[-20,-10)',
      '[0,10)',
      '[0,10)',
    ]);
    expect(Object.is(assigner.assignWindows('element', -1)[0]?.end, 0)).toBe(true);
    expect(Object.is(assigner.assignWindows('element', -0)[0]?.start, 0)).toBe(true);
    expect(Object.is(assigner.aligned.lastStart(-0), 0)).toBe(true);
  });

  test('an offset moves the bounds, to either side', () => {
    expect(windowsOf(TumblingWindow.of(1000, { offset: 300 }), 299)).toEqual(['[-700,300)']);
    expect(windowsOf(TumblingWindow.of(1000, { offset: 300 }), 300)).toEqual(['[300,1300)']);
    expect(windowsOf(TumblingWindow.of(1000, { offset: -300 }), 699)).toEqual(['[-300,700)']);
    expect(windowsOf(TumblingWindow.of('1h', { offset: '-15m' }), 0)).toEqual(['[-900000,2700000)']);
    expect(windowsOf(TumblingWindow.of('1h', { offset: '15m' }), 0)).toEqual(['[-2700000,900000)']);
    expect(windowsOf(TumblingWindow.of(10, { offset: -0 }), 3)).toEqual(['[0,10)']);
  });

  test('days at UTC+8 begin at 16:00 UTC', () => {
    const [window] = TumblingWindow.of('1d', { offset: '-8h' }).assignWindows(
      'element',
      Date.parse('2024-03-01T20:00:00Z'),
    );
    expect(new Date(window?.start ?? NaN).toISOString()).toBe('2024-03-01T16:00:00.000Z');
    expect(new Date(window?.end ?? NaN).toISOString()).toBe('2024-03-02T16:00:00.000Z');
  });

  test('equals a search over the grid', () => {
    const cases = fc
      .tuple(fc.integer({ min: 1, max: 40 }), fc.integer({ min: -200, max: 200 }))
      .chain(([size, timestamp]) =>
        fc.tuple(fc.constant(size), fc.constant(timestamp), fc.integer({ min: 1 - size, max: size - 1 })),
      );
    fc.assert(
      fc.property(cases, ([size, timestamp, offset]) => {
        let start = offset - 1000 * size;
        while (start + size <= timestamp) start += size;
        const expected = [`[${start},${start + size})`];
        expect(windowsOf(TumblingWindow.of(size, { offset }), timestamp)).toEqual(expected);
      }),
      { numRuns: 500 },
    );
  });

  test('the largest and the smallest date of JavaScript have a window', () => {
    const assigner = TumblingWindow.of(1000);
    expect(windowsOf(assigner, 8.64e15)).toEqual(['[8640000000000000,8640000000001000)']);
    expect(windowsOf(assigner, -8.64e15)).toEqual(['[-8640000000000000,-8639999999999000)']);
  });

  test.each([Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER, NaN, Infinity, -Infinity])(
    'refuses timestamp %d, in both forms',
    (timestamp) => {
      const refusal = expect.objectContaining({ code: 'RS_INVALID_TIMESTAMP' });
      const assigner = TumblingWindow.of(1000);
      expect(() => assigner.assignWindows('element', timestamp)).toThrow(refusal);
      expect(() => assigner.aligned.lastStart(timestamp)).toThrow(refusal);
    },
  );

  test.each([0, -1, NaN, Infinity, 0.5, 2 ** 51])('refuses size %d', (size) => {
    expect(() => TumblingWindow.of(size)).toThrow(
      expect.objectContaining({
        code: 'RS_INVALID_DURATION',
        message: expect.stringContaining('TumblingWindow.of: size'),
      }),
    );
  });

  test.each([
    [1000, 'RS_INVALID_ARGUMENT'],
    [-1000, 'RS_INVALID_ARGUMENT'],
    ['1s', 'RS_INVALID_ARGUMENT'],
    ['-1s', 'RS_INVALID_ARGUMENT'],
    [NaN, 'RS_INVALID_DURATION'],
    [-Infinity, 'RS_INVALID_DURATION'],
  ] as const)('refuses offset %p of size 1000', (offset, code) => {
    expect(() => TumblingWindow.of(1000, { offset })).toThrow(
      expect.objectContaining({ code, message: expect.stringContaining('offset') }),
    );
  });

  test('refuses what is no duration and no option, as JavaScript callers may pass', () => {
    const invalid = (code: string) => expect.objectContaining({ code });
    // @ts-expect-error -- no size
    expect(() => TumblingWindow.of()).toThrow(invalid('RS_INVALID_DURATION'));
    // @ts-expect-error -- no such unit
    expect(() => TumblingWindow.of('1 minute')).toThrow(invalid('RS_INVALID_DURATION'));
    // @ts-expect-error -- two signs
    expect(() => TumblingWindow.of(1000, { offset: '--1s' })).toThrow(invalid('RS_INVALID_DURATION'));
    // @ts-expect-error -- no such clock
    expect(() => TumblingWindow.of(1000, { time: 'ingestion' })).toThrow(invalid('RS_INVALID_ARGUMENT'));
  });
});

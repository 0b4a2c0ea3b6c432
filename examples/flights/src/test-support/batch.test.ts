import { describe, expect, test } from '@jest/globals';
import type { Flight } from '../flight.ts';
import { batchAlerts, batchReport } from './batch.ts';

const flight = (scheduled: number, delay = 0, origin = 'A', row = 0): Flight => ({
  row,
  scheduled,
  delay,
  origin,
  destination: 'Z',
  distance: 1,
});

const row = (start: number, end: number, delays: readonly number[], origin = 'A') => ({
  origin,
  start,
  end,
  flights: delays.length,
  meanDelay: delays.reduce((a, b) => a + b, 0) / delays.length,
  maxDelay: Math.max(...delays),
});

describe('tumbling windows', () => {
  test('by origin, with count, mean and maximum', () => {
    const flights = [flight(0, 2), flight(9, -4), flight(5, 7, 'B'), flight(10, 1)];
    expect(batchReport(flights, { kind: 'tumbling', size: 10 }, 100)).toEqual({
      records: 4,
      late: 0,
      windows: [row(0, 10, [2, -4]), row(0, 10, [7], 'B'), row(10, 20, [1])],
    });
  });

  test('a window is complete once watermark ≥ end − 1, whosever flight moved it', () => {
    const windows = { kind: 'tumbling', size: 10 } as const;
    // With an out-of-orderness of 5, 14 brings the watermark to 8 and 15 to 9.
    expect(batchReport([flight(14, 0, 'B'), flight(3, 1)], windows, 5)).toMatchObject({ late: 0 });
    expect(batchReport([flight(15, 0, 'B'), flight(3, 1)], windows, 5)).toEqual({
      records: 2,
      late: 1,
      windows: [row(10, 20, [0], 'B')],
    });
  });

  test('before 1970', () => {
    expect(batchReport([flight(-1, 3), flight(0, 4)], { kind: 'tumbling', size: 10 }, 0).windows).toEqual([
      row(-10, 0, [3]),
      row(0, 10, [4]),
    ]);
  });
});

describe('sliding windows', () => {
  test('a flight is in each window that holds it', () => {
    expect(batchReport([flight(12, 3)], { kind: 'sliding', size: 10, slide: 4 }, 0).windows).toEqual([
      row(4, 14, [3]),
      row(8, 18, [3]),
      row(12, 22, [3]),
    ]);
  });

  test('a flight misses the complete windows, and is late when that is all of them', () => {
    const windows = { kind: 'sliding', size: 10, slide: 5 } as const;
    // 16 brings the watermark to 15: [5,15) is complete, [10,20) is not, nor is [15,25).
    expect(batchReport([flight(16, 0, 'B'), flight(11, 1)], windows, 0)).toEqual({
      records: 2,
      late: 0,
      windows: [row(10, 20, [0], 'B'), row(10, 20, [1]), row(15, 25, [0], 'B')].sort((a, b) =>
        a.start === b.start ? (a.origin < b.origin ? -1 : 1) : a.start - b.start,
      ),
    });
    expect(batchReport([flight(16, 0, 'B'), flight(4, 1)], windows, 0).late).toBe(1);
  });

  test('a flight in a gap is neither late nor counted', () => {
    const flights = [flight(25, 1), flight(7, 2), flight(3, 4)];
    expect(batchReport(flights, { kind: 'sliding', size: 5, slide: 10 }, 0)).toEqual({
      records: 3,
      late: 1, // only 3, whose window [0,5) is complete
      windows: [],
    });
  });
});

describe('sessions', () => {
  const windows = { kind: 'session', gap: 10 } as const;

  test('end after the gap; those that only touch stay apart', () => {
    expect(batchReport([flight(0, 1), flight(9, 2), flight(19, 3)], windows, 100).windows).toEqual([
      row(0, 19, [1, 2]),
      row(19, 29, [3]),
    ]);
  });

  test('a flight between two sessions joins them', () => {
    expect(batchReport([flight(0, 1), flight(15, 2), flight(8, 3)], windows, 100).windows).toEqual([
      row(0, 25, [1, 2, 3]),
    ]);
    expect(batchReport([flight(0, 1), flight(15, 2), flight(8, 3, 'B')], windows, 100).windows).toHaveLength(
      3,
    );
  });

  test('a flight that would be late by itself is not when it joins an open session', () => {
    // 24 brings the watermark to 18: [0,10) would be complete; the open session of 9 is [9,19), of which 18 is the end.
    expect(batchReport([flight(9, 1), flight(23, 0, 'B'), flight(0, 2)], windows, 5)).toEqual({
      records: 3,
      late: 0,
      windows: [row(0, 19, [1, 2]), row(23, 33, [0], 'B')],
    });
  });

  test('a complete session is gone: it takes no more flights, and a late one opens none', () => {
    expect(batchReport([flight(9, 1), flight(24, 0, 'B'), flight(0, 2)], windows, 5)).toEqual({
      records: 3,
      late: 1,
      windows: [row(9, 19, [1]), row(24, 34, [0], 'B')],
    });
  });

  test('a flight that overlaps a complete session, but is not late, opens one of its own', () => {
    expect(batchReport([flight(9, 1), flight(24, 0, 'B'), flight(15, 2)], windows, 5).windows).toEqual([
      row(9, 19, [1]),
      row(15, 25, [2]),
      row(24, 34, [0], 'B'),
    ]);
  });
});

describe('alerts', () => {
  const HOUR = 3_600_000;
  const DAY = 24 * HOUR;
  /** `A 61@3`: airport, delay in minutes, scheduled hour; in the order of arrival, the rows from the last one to the first. */
  const arriving = (text: string): Flight[] =>
    text.split(', ').map((entry, i, all) => {
      const [, origin = '', delay, hour] = /^(\w+) (-?\d+)@([\d.]+)$/.exec(entry) ?? [];
      return flight(Number(hour) * HOUR, Number(delay), origin, all.length - i);
    });
  const shown = (text: string, outOfOrderness = DAY): string[] =>
    batchAlerts(arriving(text), outOfOrderness).map(
      ({ origin, times, delays }) =>
        `${origin} ${times.map((time, i) => `${delays[i]}@${time / HOUR}`).join(' ')}`,
    );

  test.each<[string, string, string[]]>([
    ['three in a row, by airport', 'A 1@0, B 9@0, A 2@1, B 8@1, A 61@2, B 99@2', ['A 1@0 2@1 61@2']],
    [
      'by airport, then time',
      'B 1@0, B 2@0.5, B 61@1, A 1@5, A 2@5.5, A 61@6',
      ['A 1@5 2@5.5 61@6', 'B 1@0 2@0.5 61@1'],
    ],
    ['in the order of the schedule', 'A 61@2, A 2@1, A 1@0', ['A 1@0 2@1 61@2']],
    ['ties in the order of the rows', 'A 61@1, A 2@1, A 1@1', ['A 1@1 2@1 61@1']],
    ['ties in the order of the rows only', 'A 1@1, A 2@1, A 61@1', []],
    ['nothing between', 'A 1@0, A 2@1, A 2@1.5, A 61@2', []],
    ['each above the one before', 'A 5@0, A 5@1, A 61@2', []],
    ['the last above 60 minutes', 'A 1@0, A 2@1, A 60@2', []],
    ['less than three hours', 'A 1@0, A 2@1, A 61@3', []],
    ['no flight twice', 'A 1@0, A 61@0.5, A 62@1, A 63@1.5, A 64@2', ['A 1@0 61@0.5 62@1']],
    [
      'the next one behind the last',
      'A 1@0, A 61@0.5, A 62@1, A 63@1.5, A 64@2, A 65@2.5',
      ['A 1@0 61@0.5 62@1', 'A 63@1.5 64@2 65@2.5'],
    ],
  ])('%s', (_, flights, expected) => {
    expect(shown(flights)).toEqual(expected);
  });

  test('a flight that the watermark has passed takes no part', () => {
    const flights = 'A 1@0, A 61@1, A 2@0.5';
    expect(shown(flights, HOUR / 2)).toEqual(['A 1@0 2@0.5 61@1']);
    expect(shown(flights, HOUR / 2 - 1)).toEqual([]);
  });
});

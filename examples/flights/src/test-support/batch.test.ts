import { describe, expect, test } from '@jest/globals';
import type { Flight } from '../flight.ts';
import { batchReport } from './batch.ts';

const flight = (scheduled: number, delay = 0, origin = 'A'): Flight => ({
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

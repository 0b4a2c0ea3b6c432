import { beforeAll, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { Flight } from './flight.ts';
import { loadFlights } from './flights.ts';
import { jsonReport } from './report-json.ts';
import { run } from './run.ts';
import { type BatchAlert, type BatchReport, batchAlerts, batchReport } from './test-support/batch.ts';
import type { Windowing } from './windowing.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

interface Report extends BatchReport {
  readonly alerts: readonly BatchAlert[];
}

function batch(flights: readonly Flight[], windowing: Windowing, outOfOrderness: number): Report {
  return {
    ...batchReport(flights, windowing, outOfOrderness),
    alerts: batchAlerts(flights, outOfOrderness),
  };
}

/** What `--alerts --json` prints. */
async function streamed(
  flights: readonly Flight[],
  windowing: Windowing,
  outOfOrderness: number,
  partitions?: number,
): Promise<Report> {
  const through = partitions === undefined ? {} : { partitions };
  const results = await run({ flights, windowing, outOfOrderness, alerts: true, ...through });
  if (results === undefined) throw new Error('the run was cancelled');
  return JSON.parse([...jsonReport(results)].join('')) as Report;
}

describe('on the real flights, the stream and the batch agree', () => {
  let flights: readonly Flight[];
  beforeAll(async () => {
    flights = await loadFlights();
  });

  test.each<[string, Windowing, number]>([
    ['days, 1d', { kind: 'tumbling', size: DAY }, DAY],
    ['days, 30m', { kind: 'tumbling', size: DAY }, 30 * MINUTE],
    ['days, 0', { kind: 'tumbling', size: DAY }, 0],
    ['hours, 0', { kind: 'tumbling', size: HOUR }, 0],
    ['days every 6h, 1d', { kind: 'sliding', size: DAY, slide: 6 * HOUR }, DAY],
    ['3h every 2h, 0', { kind: 'sliding', size: 3 * HOUR, slide: 2 * HOUR }, 0],
    ['an hour every 10m, 30m', { kind: 'sliding', size: HOUR, slide: 10 * MINUTE }, 30 * MINUTE],
    ['an hour every 6h, 0', { kind: 'sliding', size: HOUR, slide: 6 * HOUR }, 0],
    ['sessions of 1h, 1d', { kind: 'session', gap: HOUR }, DAY],
    ['sessions of 1h, 30m', { kind: 'session', gap: HOUR }, 30 * MINUTE],
    ['sessions of 20m, 0', { kind: 'session', gap: 20 * MINUTE }, 0],
    ['sessions of 1d, 0', { kind: 'session', gap: DAY }, 0],
  ])('%s', async (_, windowing, outOfOrderness) => {
    const expected = batch(flights, windowing, outOfOrderness);
    expect(await streamed(flights, windowing, outOfOrderness)).toEqual(expected);
    expect(expected.records).toBe(20_000);
    expect(expected.windows.length).toBeGreaterThan(0);
    expect(expected.alerts.length).toBeGreaterThan(0);
  });

  test.each<[number, Windowing]>([
    [1, { kind: 'tumbling', size: DAY }],
    [8, { kind: 'tumbling', size: DAY }],
    [8, { kind: 'sliding', size: DAY, slide: 6 * HOUR }],
    [5, { kind: 'session', gap: HOUR }],
  ])('through a topic with %d partitions, by destination: %j', async (partitions, windowing) => {
    expect(await streamed(flights, windowing, DAY, partitions)).toEqual(batch(flights, windowing, DAY));
  });

  test.each<[string, number, number]>([
    ['1m', MINUTE, 20_000],
    ['5m', 5 * MINUTE, 15_000],
    ['15m', 15 * MINUTE, 20_000],
    ['45m', 45 * MINUTE, 12_345],
    ['59m', 59 * MINUTE, 20_000],
    ['1h', HOUR, 20_000],
    ['61m', 61 * MINUTE, 20_000],
    ['90m', 90 * MINUTE, 7_000],
    ['2h', 2 * HOUR, 20_000],
    ['3h', 3 * HOUR, 20_000],
    ['6h', 6 * HOUR, 1_000],
    ['12h', DAY / 2, 20_000],
    ['1d', DAY, 19_999],
  ])('alerts with an out-of-orderness of %s', async (_, outOfOrderness, limit) => {
    const read = flights.slice(0, limit);
    const windowing = { kind: 'tumbling', size: DAY } as const;
    const expected = batchAlerts(read, outOfOrderness);
    expect((await streamed(read, windowing, outOfOrderness)).alerts).toEqual(expected);
    expect(expected.length).toBeGreaterThan(0);
  });

  test('whatever part of them is read', async () => {
    const part = fc.record({ from: fc.nat(19_000), limit: fc.nat(4_000) });
    const windowings = fc.constantFrom<Windowing>(
      { kind: 'tumbling', size: 3 * HOUR },
      { kind: 'sliding', size: 2 * HOUR, slide: 3 * HOUR },
      { kind: 'session', gap: HOUR },
    );
    await fc.assert(
      fc.asyncProperty(part, windowings, fc.nat(200), async ({ from, limit }, windowing, minutes) => {
        const read = flights.slice(from, from + limit);
        const outOfOrderness = minutes * MINUTE;
        expect(await streamed(read, windowing, outOfOrderness)).toEqual(
          batch(read, windowing, outOfOrderness),
        );
      }),
      { numRuns: 20 },
    );
  });

  test('some flights are late without out-of-orderness, none with a day of it', async () => {
    const windowing = { kind: 'tumbling', size: HOUR } as const;
    expect((await streamed(flights, windowing, 0)).late).toBeGreaterThan(0);
    expect((await streamed(flights, windowing, DAY)).late).toBe(0);
  });
});

const manyFlights = fc.array(
  fc.record({
    row: fc.nat(60),
    scheduled: fc.integer({ min: -60, max: 200 }),
    delay: fc.integer({ min: -30, max: 300 }),
    distance: fc.constant(1),
    origin: fc.constantFrom('A', 'B', '__proto__'),
    destination: fc.constant('Z'),
  }),
  { maxLength: 40 },
);

const anyWindowing = fc.oneof(
  fc.record({ kind: fc.constant('tumbling' as const), size: fc.integer({ min: 1, max: 60 }) }),
  fc.record({
    kind: fc.constant('sliding' as const),
    size: fc.integer({ min: 1, max: 60 }),
    slide: fc.integer({ min: 1, max: 80 }),
  }),
  fc.record({ kind: fc.constant('session' as const), gap: fc.integer({ min: 1, max: 40 }) }),
);

test('on any flights, the stream and the batch agree', async () => {
  await fc.assert(
    fc.asyncProperty(manyFlights, anyWindowing, fc.nat(80), async (flights, windowing, outOfOrderness) => {
      expect(await streamed(flights, windowing, outOfOrderness)).toEqual(
        batch(flights, windowing, outOfOrderness),
      );
    }),
    { numRuns: 500 },
  );
});

/** Few airports, few times and delays: many ties, and many alerts. */
const busyAirports = fc
  .array(
    fc.record({
      scheduled: fc.integer({ min: -2, max: 14 }).map((halfHours) => halfHours * 30 * MINUTE),
      delay: fc.constantFrom(-5, 59, 60, 61, 62, 70, 90),
      distance: fc.constant(1),
      origin: fc.constantFrom('A', '__proto__'),
      destination: fc.constantFrom('X', 'Y', 'Z'),
    }),
    // Most of them long ones.
    { maxLength: 60, size: 'max' },
  )
  // All rows are different, and in another order than the flights arrive.
  .map((flights) => flights.map((flight, i) => ({ ...flight, row: (i * 17) % 61 })));

describe('at busy airports, the stream and the batch find the same alerts', () => {
  const windowing = { kind: 'tumbling', size: HOUR } as const;

  test('in one sequence', async () => {
    await fc.assert(
      fc.asyncProperty(busyAirports, fc.nat(12), async (flights, halfHours) => {
        const outOfOrderness = halfHours * 30 * MINUTE;
        const { alerts } = await streamed(flights, windowing, outOfOrderness);
        expect(alerts).toEqual(batchAlerts(flights, outOfOrderness));
      }),
      { numRuns: 200 },
    );
  });

  test('from several partitions, when no flight is late', async () => {
    await fc.assert(
      fc.asyncProperty(busyAirports, fc.integer({ min: 1, max: 4 }), async (flights, partitions) => {
        const { alerts } = await streamed(flights, windowing, DAY, partitions);
        expect(alerts).toEqual(batchAlerts(flights, DAY));
      }),
      { numRuns: 100 },
    );
  });
});

describe('run', () => {
  const flights = [0, 5, 10].map((scheduled, row) => ({
    row,
    scheduled,
    delay: 0,
    distance: 1,
    origin: 'A',
    destination: 'Z',
  }));
  const options = { flights, windowing: { kind: 'tumbling', size: 10 }, outOfOrderness: 0 } as const;

  test('reports progress before each flight', async () => {
    const progress: number[] = [];
    await run({ ...options, onProgress: (read) => progress.push(read) });
    expect(progress).toEqual([1, 2, 3]);
  });

  test('yields nothing when it was cancelled', async () => {
    expect(await run({ ...options, signal: AbortSignal.abort() })).toBeUndefined();
  });

  test('of no flights has no windows', async () => {
    expect(await run({ ...options, flights: [] })).toStrictEqual({ records: 0, late: 0, windows: [] });
    expect(await run({ ...options, flights: [], alerts: true })).toMatchObject({ alerts: [] });
  });
});

import { beforeAll, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { Flight } from './flight.ts';
import { loadFlights } from './flights.ts';
import { jsonReport } from './report-json.ts';
import { run } from './run.ts';
import { type BatchReport, batchReport } from './test-support/batch.ts';
import type { Windowing } from './windowing.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** What `--json` prints. */
async function streamed(
  flights: readonly Flight[],
  windowing: Windowing,
  outOfOrderness: number,
  partitions?: number,
): Promise<BatchReport> {
  const through = partitions === undefined ? {} : { partitions };
  const results = await run({ flights, windowing, outOfOrderness, ...through });
  if (results === undefined) throw new Error('the run was cancelled');
  return JSON.parse([...jsonReport(results)].join('')) as BatchReport;
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
    const expected = batchReport(flights, windowing, outOfOrderness);
    expect(await streamed(flights, windowing, outOfOrderness)).toEqual(expected);
    expect(expected.records).toBe(20_000);
    expect(expected.windows.length).toBeGreaterThan(0);
  });

  test.each<[number, Windowing]>([
    [1, { kind: 'tumbling', size: DAY }],
    [8, { kind: 'tumbling', size: DAY }],
    [8, { kind: 'sliding', size: DAY, slide: 6 * HOUR }],
    [5, { kind: 'session', gap: HOUR }],
  ])('through a topic with %d partitions, by destination: %j', async (partitions, windowing) => {
    expect(await streamed(flights, windowing, DAY, partitions)).toEqual(batchReport(flights, windowing, DAY));
  });

  test('some flights are late without out-of-orderness, none with a day of it', async () => {
    const windowing = { kind: 'tumbling', size: HOUR } as const;
    expect((await streamed(flights, windowing, 0)).late).toBeGreaterThan(0);
    expect((await streamed(flights, windowing, DAY)).late).toBe(0);
  });
});

const manyFlights = fc.array(
  fc.record({
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
        batchReport(flights, windowing, outOfOrderness),
      );
    }),
    { numRuns: 500 },
  );
});

describe('run', () => {
  const flights = [0, 5, 10].map((scheduled) => ({
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
    expect(await run({ ...options, flights: [] })).toEqual({ records: 0, late: 0, windows: [] });
  });
});

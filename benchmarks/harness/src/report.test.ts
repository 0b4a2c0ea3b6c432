import { expect, test } from '@jest/globals';
import type { Measured } from './measure.ts';
import { caseReport, prefixOf } from './report.ts';
import { highest } from './statistics.ts';
import type { Role, Unit } from './suite.ts';

function measured(name: string, role: Role, value: number, figures: Record<string, number> = {}): Measured {
  return { name, role, median: value, min: value - 0.6, max: value + 0.6, records: 10 * value, figures };
}

const figures = {
  heapMb: { of: highest, digits: 1, text: (mb: string) => `heap ${mb} MB` },
  rssMb: { of: highest, digits: 0, text: (mb: string) => `${mb} MB` },
};

test('the report has the shape that all suites share', () => {
  const report = caseReport(
    { name: 'sums', unit: 'records/s', figures },
    [
      measured('loop', 'limit', 2_000, { heapMb: 5.04 }),
      measured('@rs', 'ours', 500, { heapMb: 10.06 }),
      measured('bullmq', 'peer', 50),
      measured('ioredis pipelines', 'peer', 400),
      measured('@rs, async handler', 'aside', 450, { heapMb: 1 }),
    ],
    { rssMb: 99.6 },
  );
  expect(report).toEqual({
    name: 'sums',
    unit: 'records/s',
    ours: 500,
    limit: 2_000,
    peers: { bullmq: 50, 'ioredis pipelines': 400 },
    ratioToLimit: 0.25,
    ratioToBestPeer: 1.25,
    extra: {
      records: 5_000,
      oursMin: 499,
      oursMax: 501,
      heapMb: 10.1,
      limitRecords: 20_000,
      limitMin: 1_999,
      limitMax: 2_001,
      limitHeapMb: 5,
      bullmqRecords: 500,
      bullmqMin: 49,
      bullmqMax: 51,
      ioredisPipelinesRecords: 4_000,
      ioredisPipelinesMin: 399,
      ioredisPipelinesMax: 401,
      rsAsyncHandler: 450,
      rsAsyncHandlerRecords: 4_500,
      rsAsyncHandlerMin: 449,
      rsAsyncHandlerMax: 451,
      rsAsyncHandlerHeapMb: 1,
      rssMb: 100,
    },
  });
});

test.each<[Unit, number]>([
  ['records/s', 0.5],
  ['ms', 2],
  ['bytes/record', 2],
])('the best peer by %s', (unit, ratio) => {
  const { ratioToBestPeer } = caseReport({ name: 'x', unit, figures: {} }, [
    measured('@rs', 'ours', 8),
    measured('limit', 'limit', 1),
    measured('a', 'peer', 4),
    measured('b', 'peer', 16),
  ]);
  expect(ratioToBestPeer).toBe(ratio);
});

test('without peers there is no ratio to the best one', () => {
  const both = [measured('@rs', 'ours', 1), measured('limit', 'limit', 1)];
  expect(caseReport({ name: 'x', unit: 'ms', figures: {} }, both).ratioToBestPeer).toBeNull();
});

test('a case needs one variant of ours and one limit', () => {
  const [ours, limit] = [measured('@rs', 'ours', 1), measured('limit', 'limit', 1)] as const;
  const facts = { name: 'x', unit: 'ms', figures: {} } as const;
  expect(() => caseReport(facts, [ours])).toThrow("'x' must have exactly one variant with the role 'limit'");
  expect(() => caseReport(facts, [ours, ours, limit])).toThrow('exactly one');
});

test('names become prefixes', () => {
  expect(prefixOf({ name: '@rs, async handler', role: 'aside' })).toBe('rsAsyncHandler');
  expect(prefixOf({ name: '@rs', role: 'ours' })).toBe('ours');
  expect(prefixOf({ name: 'loop', role: 'limit' })).toBe('limit');
});

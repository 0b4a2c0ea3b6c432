import { expect, test } from '@jest/globals';
import { caseReport, textReport } from './report.ts';

const measured = (name: string, median: number, peakHeapMb: number) => ({
  name,
  median,
  min: median - 1_000.4,
  max: median + 1_000.4,
  peakHeapMb,
});

const sums = caseReport(measured('loop', 2_000_000, 5.04), measured('ours', 500_000, 10.06), {
  name: 'sums',
  records: 10_000,
  rssMb: 99.96,
});

test('the case has the shape that all suites share', () => {
  expect(sums).toEqual({
    name: 'sums',
    unit: 'records/s',
    ours: 500_000,
    limit: 2_000_000,
    peers: {},
    ratioToLimit: 0.25,
    ratioToBestPeer: null,
    extra: {
      records: 10_000,
      oursMin: 499_000,
      oursMax: 501_000,
      limitMin: 1_999_000,
      limitMax: 2_001_000,
      peakHeapMb: 10.1,
      limitPeakHeapMb: 5,
      rssMb: 100,
    },
  });
});

test('the text says how fast, how spread and how large', () => {
  expect(textReport({ suite: 'memory', node: 'v20.19.0', redis: null, rounds: 3, cases: [sums] })).toBe(
    [
      'memory, Node.js v20.19.0, median of 3 rounds',
      '',
      'sums, 10,000 records',
      '  @rs        500,000 records/s  (499,000 to 501,000), peak heap 10.1 MB',
      '  loop     2,000,000 records/s  (1,999,000 to 2,001,000), peak heap 5.0 MB',
      '  25.0 % of the loop; the process took 100 MB at most',
      '',
    ].join('\n'),
  );
});

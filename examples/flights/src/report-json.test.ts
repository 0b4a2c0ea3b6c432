import { expect, test } from '@jest/globals';
import { jsonReport } from './report-json.ts';

const windowOf = (start: number) => ({
  origin: 'A"B',
  start,
  end: start + 10,
  flights: 2,
  totalDelay: 3,
  maxDelay: 4,
});

test('is one document with exactly the documented fields', () => {
  const text = [...jsonReport({ records: 5, late: 1, windows: [windowOf(0)] })].join('');
  expect(JSON.parse(text)).toEqual({
    records: 5,
    late: 1,
    windows: [{ origin: 'A"B', start: 0, end: 10, flights: 2, meanDelay: 1.5, maxDelay: 4 }],
  });
  expect(text.endsWith('}\n')).toBe(true);
});

test.each([0, 1, 9_999, 10_000, 10_001, 25_000])('is whole with %d windows', (count) => {
  const windows = Array.from({ length: count }, (_, i) => windowOf(i));
  const report = JSON.parse([...jsonReport({ records: 0, late: 0, windows })].join('')) as {
    windows: { start: number }[];
  };
  expect(report.windows.map(({ start }) => start)).toEqual(windows.map(({ start }) => start));
});

test('has alerts, behind the windows, only where they were asked for', () => {
  const results = { records: 0, late: 0, windows: [] };
  expect([...jsonReport(results)].join('')).toBe('{"records":0,"late":0,"windows":[]}\n');
  const alerts = [{ origin: 'A', times: [1, 2, 3], delays: [4, 5, 61] }];
  expect([...jsonReport({ ...results, alerts })].join('')).toBe(
    '{"records":0,"late":0,"windows":[],"alerts":[{"origin":"A","times":[1,2,3],"delays":[4,5,61]}]}\n',
  );
});

import { expect, test } from '@jest/globals';
import pc from 'picocolors';
import { check } from '../check/check.ts';
import type { History } from '../history/history.ts';
import { history, LOG, rightResults, withPartition } from '../test-support/histories.ts';
import { reportOf } from './report.ts';
import { textReport } from './text-report.ts';

const kill = {
  kind: 'dieAt',
  from: 9_000,
  until: 9_500,
  worker: 'worker-2',
  point: 'after commit-task',
} as const;
const report = (facts: Partial<History> = {}, journals?: string) => {
  const run = history({ disturbances: [{ ...kill, incarnation: 'worker-2#1' }], ...facts });
  return reportOf({ history: run, verdict: check(run), skipped: 1, journals }, 30);
};

test('the figures of a run', () => {
  const { results } = history();
  expect(report()).toMatchObject({
    ...{ seed: 1, seconds: 30, violations: [], journals: null, drained: 0 },
    records: { sent: LOG.length, confirmed: LOG.length, written: LOG.length, counted: LOG.length },
    results: { windows: results.windowsTopic.flat().length, clocked: LOG.length },
    faults: { dieAt: 1, skipped: 1 },
    diedAt: { 'after commit-task': 1 },
    commits: { made: LOG.length, fenced: 0, repeated: 0 },
    deliveries: { total: LOG.length, repeats: 0 },
  });
});

test('in words', () => {
  const text = textReport(report(), pc.createColors(false));
  expect(text).toContain('  violations  none\n');
  expect(text).toContain('  faults      dieAt 1; 1 hit nobody\n');
  expect(text).toContain('  died        after commit-task 1\n');
  expect(text).not.toContain('Broken');
});

test('a broken promise is told with its evidence, and where the journals are', () => {
  const { results } = withPartition(0, () => ({
    timers: (rightResults().partitions[0]?.timers ?? []).slice(1),
  }));
  const text = textReport(report({ results }, '/tmp/journals'), pc.createColors(false));
  expect(text).toContain('Broken: each timer fires once (1)\n- timers of partition 0: missing: {"key"');
  expect(text).toMatch(/ {4}record \d+ of key-\d+: partition 0, id /);
  expect(text).toContain('Journals and logs of all processes: /tmp/journals\n');
});

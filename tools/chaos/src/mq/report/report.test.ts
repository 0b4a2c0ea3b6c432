import { expect, test } from '@jest/globals';
import pc from 'picocolors';
import { check } from '../check/check.ts';
import type { History } from '../history/history.ts';
import { closing, entry, fault, handling, history, namesOf, tenure } from '../test-support/histories.ts';
import { reportOf } from './report.ts';
import { textReport } from './text-report.ts';

const log = namesOf('key-1', 3).map((name, at) => entry(4, 1_000 + at, name));
const next = { incarnation: 'consumer-1#1', epoch: 2 };
const kill = { worker: 'consumer-0', incarnation: 'consumer-0#1' } as const;
const calm: Partial<History> = {
  log,
  disturbances: [fault('killConsumer', 2_100, 3_000, kill)],
  sent: log.map(({ key, n }) => ({ key, n, incarnation: 'producer#1', at: 0 })),
  confirmed: log.map((each) => ({ ...each, incarnation: 'producer#1', at: 0 })),
  tenures: [tenure(4, 500, { until: 2_100, how: 'killed' }), tenure(4, 4_000, next)],
  handlings: [
    ...log.slice(0, 2).map((each, at) => handling(each, 2_000 + at * 20)),
    ...log.slice(1).map((each, at) => handling(each, 4_100 + at * 20, next)),
  ],
  closings: [closing(120)],
};
const report = (facts: Partial<History> = {}, journals?: string) => {
  const all = history({ ...calm, ...facts });
  return reportOf({ history: all, verdict: check(all), skipped: 1, journals }, 30);
};

test('the figures of a run', () => {
  expect(report()).toEqual({
    ...{ seed: 1, seconds: 30, violations: [], journals: null, drained: 0 },
    messages: { sent: 3, confirmed: 3, written: 3, handled: 3, deadLetters: 0, handlings: 4 },
    faults: { killConsumer: 1, skipped: 1 },
    duplicates: { total: 1, crash: 1, lease: 0, stop: 0, group: 0 },
    recovery: { limit: 2_800, measured: 1, p50: 2_000, max: 2_000, hindered: 0, allowance: 0 },
    close: { count: 1, max: 120 },
  });
});

test('in words', () => {
  const text = textReport(report(), pc.createColors(false));
  expect(text).toContain('  violations  none\n');
  expect(text).toContain('  faults      killConsumer 1; 1 hit nobody\n');
  expect(text).toContain('p50 2000 ms, max 2000 ms of 1 partitions (limit 2800 ms');
  expect(text).not.toContain('Broken');
});

test('a broken promise is told with its evidence, and where the journals are', () => {
  const handlings = (calm.handlings ?? []).slice(0, 2);
  const text = textReport(report({ handlings }, '/tmp/journals'), pc.createColors(false));
  expect(text).toContain('Broken: nothing is lost (1)\n- 4/1002-0 was neither handled');
  expect(text).toMatch(/ {4}2\.100 s {2}fault: killConsumer consumer-0#1\n/);
  expect(text).toContain('Journals and logs of all processes: /tmp/journals\n');
});

test('of many broken promises of one kind the first are told', () => {
  const text = textReport(
    report({ log: [...namesOf('key-2', 9).map((name, at) => entry(5, at, name))], confirmed: [] }),
    pc.createColors(false),
  );
  expect(text.match(/^- 5\//gm)).toHaveLength(5);
  expect(text).toContain('- and 4 more; --json has all\n');
});

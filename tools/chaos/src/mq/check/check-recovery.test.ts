import { expect, test } from '@jest/globals';
import type { History } from '../history/history.ts';
import { LOAD } from '../load/settings.ts';
import { entry, fault, handling, history, namesOf, tenure } from '../test-support/histories.ts';
import { checkRecovery } from './check-recovery.ts';

const KILLED = 10_000;
const LIMIT = LOAD.lease + 1_000;
const log = namesOf('key-1', 2).map((name, at) => entry(4, [9_990, 10_500][at] ?? 0, name));
const next = { incarnation: 'consumer-1#1', epoch: 2 };
const kill = fault('killConsumer', KILLED, 11_000, { worker: 'consumer-0', incarnation: 'consumer-0#1' });

/** The owner of partition 4 is killed, and the next one handles a message so much later. */
function recoveredAfter(millis: number, facts: Partial<History> = {}) {
  const handlings = log.slice(0, 1).map((each) => handling(each, KILLED + millis, next));
  return checkRecovery(
    history({ log, handlings, tenures: [tenure(4, 500)], disturbances: [kill], ...facts }),
  );
}

test('in time', () => {
  expect(recoveredAfter(LIMIT)).toMatchObject({ limit: LIMIT, times: [LIMIT], hindered: 0, violations: [] });
});

test('too late', () => {
  const { violations } = recoveredAfter(LIMIT + 1);
  expect(violations).toEqual([
    expect.objectContaining({ what: expect.stringContaining(`the next owner after ${LIMIT + 1} ms`) }),
  ]);
});

test('never, though there were messages to handle', () => {
  const found = recoveredAfter(0, { handlings: [] });
  expect(found.violations).toEqual([expect.objectContaining({ what: expect.stringContaining('never') })]);
  expect(recoveredAfter(0, { handlings: [], log: log.slice(0, 1) }).violations).toEqual([]);
});

test('a process that is stopped loses its partitions as one that is killed does', () => {
  const freeze = { ...kill, kind: 'freeze', until: 14_000 } as const;
  expect(recoveredAfter(LIMIT + 1, { disturbances: [freeze] }).violations).toHaveLength(1);
});

test('what it did not hold any more, or not yet, is not its loss', () => {
  const given = [tenure(4, 500, { until: 9_000, how: 'released' }), tenure(4, 12_000)];
  expect(recoveredAfter(LIMIT + 1, { tenures: given }).violations).toEqual([]);
});

test('without a message to handle, the first one that comes is handled within a second', () => {
  const late = log.map((each) => ({ ...each, id: '20000-0' }));
  const at = (start: number) =>
    recoveredAfter(0, { log: late, handlings: late.slice(0, 1).map((each) => handling(each, start, next)) });
  expect(at(21_000)).toMatchObject({ violations: [], times: [] });
  expect(at(21_001).violations).toHaveLength(1);
});

test('a fault that comes into it starts the time anew from its end; one of the producer does not', () => {
  const during = (worker: 'consumer-2' | 'producer') => ({
    disturbances: [kill, fault('swallow', 12_000, 13_000, { worker })],
  });
  expect(recoveredAfter(3_000 + LIMIT, during('consumer-2'))).toMatchObject({
    hindered: 1,
    times: [],
    violations: [],
  });
  expect(recoveredAfter(3_001 + LIMIT, during('consumer-2')).violations).toHaveLength(1);
  expect(recoveredAfter(3_000 + LIMIT, during('producer')).violations).toHaveLength(1);
  const later = { disturbances: [kill, fault('crashServer', KILLED + LIMIT + 1, KILLED + LIMIT + 500)] };
  expect(recoveredAfter(LIMIT + 1, later).violations).toHaveLength(1);
});

test('the longest lag of a process that ran is allowed for, that of one which a fault held up is not', () => {
  const lag = (incarnation: string) => ({ lags: [{ incarnation, at: 12_000, millis: 300 }] });
  expect(recoveredAfter(LIMIT + 300, lag('consumer-1#1'))).toMatchObject({ allowance: 300, violations: [] });
  expect(recoveredAfter(LIMIT + 301, lag('consumer-1#1')).violations).toHaveLength(1);
  const nap = fault('nap', 11_700, 11_990, { worker: 'producer', incarnation: 'producer#1' });
  expect(
    recoveredAfter(LIMIT + 300, { ...lag('producer#1'), disturbances: [kill, nap] }).violations,
  ).toHaveLength(1);
});

test('so is a slow answer of Redis, and not one that a fault made slow', () => {
  const lags = [{ incarnation: 'redis', at: 12_000, millis: 300 }];
  expect(recoveredAfter(LIMIT + 300, { lags })).toMatchObject({ allowance: 300, violations: [] });
  const pause = fault('pauseServer', 11_700, 11_990);
  const found = recoveredAfter(1_990 + LIMIT + 1, { lags, disturbances: [kill, pause] });
  expect(found).toMatchObject({ allowance: 0, violations: [{}] });
});

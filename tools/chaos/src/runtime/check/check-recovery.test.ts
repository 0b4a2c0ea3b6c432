import { expect, test } from '@jest/globals';
import type { Disturbance } from '../../faults/disturbance.ts';
import type { Incarnation } from '../../processes/incarnation.ts';
import type { History } from '../history/history.ts';
import { LOAD } from '../load/settings.ts';
import { commitsOf, history, tenure } from '../test-support/histories.ts';
import { checkRecovery } from './check-recovery.ts';

const LIMIT = LOAD.lease + 1_000;
const KILLED = 2_000;
const kill: Disturbance = {
  ...{ kind: 'killWorker', from: KILLED, until: KILLED + 300, worker: 'worker-0', incarnation: 'worker-0#1' },
};

const alive = (incarnation: string, killedAt?: number): Incarnation => ({
  ...{ incarnation, from: 0, killedAt, endedAt: killedAt, failure: undefined },
});

/** Partition 2 is taken over, and the next commit comes so long after the kill. */
function after(millis: number, facts: Partial<History> = {}) {
  const commits = commitsOf(2).map((each) =>
    each.at < KILLED
      ? each
      : { ...each, incarnation: 'worker-1#1', token: 'b2', at: KILLED + millis + each.seq / 1_000 },
  );
  const seq = commits.filter(({ at }) => at < KILLED).length;
  const next = tenure(2, {
    ...{ incarnation: 'worker-1#1', token: 'b2', epoch: 2, from: KILLED + millis - 1 },
    ...{ seq, offset: commits[seq - 1]?.offset ?? '' },
  });
  const tenures = [tenure(2, { until: KILLED }), next];
  const incarnations = [alive('worker-0#1', KILLED), alive('worker-1#1'), alive('worker-1#2')];
  const ready = [{ incarnation: 'worker-1#1', at: 50 }];
  return checkRecovery(history({ commits, tenures, incarnations, ready, disturbances: [kill], ...facts }));
}

test('in time', () => {
  const { times, hindered, violations } = after(1_900);
  expect({ hindered, violations }).toEqual({ hindered: 0, violations: [] });
  expect(times).toEqual([expect.closeTo(1_900, 0)]);
});

test('too late', () => {
  const { violations } = after(LIMIT + 200);
  expect(violations.map(({ what }) => what)).toEqual([
    `partition 2 of worker-0#1, epoch 1, saw a commit of the next owner after ${LIMIT + 200} ms; ` +
      `it was due after ${LIMIT} ms, 0 ms of that for lags of the processes`,
  ]);
});

test('never, while there was something to do', () => {
  const commits = commitsOf(2).filter(({ at }) => at < KILLED);
  const { violations } = after(0, { commits, tenures: [tenure(2, { until: KILLED })] });
  expect(violations).toEqual([
    expect.objectContaining({ what: expect.stringContaining('next owner never') }),
  ]);
});

test('another fault that comes into it starts the time anew; a lag of a process is allowed for', () => {
  const swallow: Disturbance = {
    kind: 'swallow',
    worker: 'worker-1',
    from: KILLED + 100,
    until: KILLED + 2_000,
  };
  expect(after(LIMIT + 1_500, { disturbances: [kill, swallow] })).toMatchObject({
    hindered: 1,
    violations: [],
  });
  const lags = [{ incarnation: 'worker-1#1', at: KILLED + 500, millis: 300 }];
  expect(after(LIMIT + 200, { lags })).toMatchObject({ allowance: 300, violations: [] });
});

test('a process that dies at a point of its work, and one that is stopped past its lease', () => {
  for (const kind of ['dieAt', 'freeze'] as const) {
    expect(after(LIMIT + 200, { disturbances: [{ ...kill, kind }] }).violations).toHaveLength(1);
  }
  expect(after(LIMIT + 200, { disturbances: [{ ...kill, kind: 'nap' }] }).violations).toEqual([]);
});

test('of the one that takes over all lags together are allowed for, of others the longest', () => {
  const lags = (incarnation: string) =>
    [300, 500, 700].map((at) => ({ incarnation, at: KILLED + at, millis: 100 }));
  expect(after(LIMIT + 200, { lags: lags('worker-1#1') })).toMatchObject({ allowance: 300, violations: [] });
  expect(after(LIMIT + 200, { lags: lags('worker-2#1') }).violations).toHaveLength(1);
});

test('the time counts from when somebody is there who could take over', () => {
  const late = [{ incarnation: 'worker-1#2', at: KILLED + 700 }];
  expect(after(LIMIT + 600, { ready: late })).toMatchObject({ hindered: 1, violations: [] });
  expect(after(LIMIT + 800, { ready: late }).violations).toHaveLength(1);
  const gone = { incarnation: 'worker-1#1', at: 50 };
  const incarnations = [alive('worker-0#1', KILLED), alive('worker-1#1', KILLED - 10), alive('worker-1#2')];
  expect(after(LIMIT + 600, { ready: [gone, ...late], incarnations })).toMatchObject({
    hindered: 1,
    violations: [],
  });
});

import { expect, test } from '@jest/globals';
import { LOAD } from '../load/settings.ts';
import { history } from '../test-support/histories.ts';
import { checkStops } from './check-stops.ts';

const MOST = LOAD.stopBudget + 500;
const stop = (took: number | undefined) => ({
  incarnation: 'worker-0#1',
  at: 5_000,
  budget: LOAD.stopBudget,
  took,
});

test('in time, to the millisecond; one whose process was killed meanwhile is not measured', () => {
  const stops = [stop(MOST), stop(3), stop(undefined)];
  expect(checkStops(history({ stops }))).toEqual({ times: [3, MOST], violations: [] });
});

test('too long, unless a process did not get its turn', () => {
  const stops = [stop(MOST + 1)];
  expect(checkStops(history({ stops })).violations).toEqual([
    {
      promise: 'stop within its budget and 0.5 s',
      what: `stop of worker-0#1 took ${MOST + 1} ms with a budget of ${LOAD.stopBudget} ms`,
      evidence: ['lag 0 ms'],
    },
  ]);
  const lags = [{ incarnation: 'worker-0#1', at: 5_500, millis: 100 }];
  expect(checkStops(history({ stops, lags })).violations).toEqual([]);
});

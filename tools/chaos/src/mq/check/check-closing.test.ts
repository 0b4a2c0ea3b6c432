import { expect, test } from '@jest/globals';
import { LOAD } from '../load/settings.ts';
import { closing, history } from '../test-support/histories.ts';
import { checkClosing } from './check-closing.ts';

const MOST = LOAD.closeBudget + 500;

test('in time, to the millisecond', () => {
  expect(checkClosing(history({ closings: [closing(MOST), closing(3)] }))).toEqual({
    times: [3, MOST],
    violations: [],
  });
});

test('too long', () => {
  const { violations } = checkClosing(history({ closings: [closing(MOST + 1, { abandoned: 2 })] }));
  expect(violations).toEqual([
    {
      promise: 'close within its budget and 0.5 s',
      what: `close of consumer-0#1 took ${MOST + 1} ms with a budget of ${LOAD.closeBudget} ms`,
      evidence: ['2 handlers abandoned, 0 leases not given back, lag 0 ms'],
    },
  ]);
});

test('its own lag meanwhile is allowed for, another’s is not', () => {
  const lag = (incarnation: string, at: number) => ({
    closings: [closing(MOST + 100)],
    lags: [{ incarnation, at, millis: 100 }],
  });
  expect(checkClosing(history(lag('consumer-0#1', 5_500))).violations).toEqual([]);
  expect(checkClosing(history(lag('consumer-1#1', 5_500))).violations).toHaveLength(1);
  expect(checkClosing(history(lag('consumer-0#1', 4_500))).violations).toHaveLength(1);
});

test('one whose process was killed meanwhile is not measured', () => {
  expect(checkClosing(history({ closings: [closing(undefined)] }))).toEqual({ times: [], violations: [] });
});

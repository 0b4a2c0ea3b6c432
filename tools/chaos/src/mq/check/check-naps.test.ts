import { expect, test } from '@jest/globals';
import type { History } from '../history/history.ts';
import { LOAD } from '../load/settings.ts';
import { fault, history, tenure } from '../test-support/histories.ts';
import { checkNaps } from './check-naps.ts';

const process = { worker: 'consumer-0', incarnation: 'consumer-0#1' } as const;
const nap = fault('nap', 10_000, 10_600, process);

function told(facts: Partial<History>): string[] {
  return checkNaps(history({ disturbances: [nap], ...facts })).map(({ what }) => what);
}

const lost = (until: number) => ({ tenures: [tenure(4, 500, { until, how: 'lost' })] });

test('what stays is not told, nor what is given back', () => {
  expect(told({ tenures: [tenure(4, 500), tenure(5, 500, { until: 10_700, how: 'released' })] })).toEqual([]);
});

test('a lease that is lost right after', () => {
  expect(told(lost(10_601))).toEqual([
    'consumer-0#1 lost partition 4, epoch 1, by standing still for 600 ms',
  ]);
  expect(told(lost(9_999))).toEqual([]);
  expect(told(lost(10_601 + LOAD.lease))).toEqual([]);
});

test('another fault near it may be the reason, one of another process not', () => {
  const near = fault('swallow', 9_000, 9_500, { worker: 'consumer-0' });
  expect(told({ ...lost(10_601), disturbances: [nap, near] })).toEqual([]);
  const elsewhere = fault('swallow', 9_000, 9_500, { worker: 'consumer-1' });
  expect(told({ ...lost(10_601), disturbances: [nap, elsewhere] })).toHaveLength(1);
});

test('a machine that had no time for it either may be the reason', () => {
  const lag = (millis: number) => ({ lags: [{ incarnation: 'redis', at: 11_000, millis }] });
  expect(told({ ...lost(10_601), ...lag(LOAD.lease - 600) })).toEqual([]);
  expect(told({ ...lost(10_601), ...lag(300) })).toHaveLength(1);
});

test('a stop past the lease is another matter', () => {
  const freeze = fault('freeze', 10_000, 13_000, process);
  expect(told({ ...lost(13_001), disturbances: [freeze] })).toEqual([]);
});

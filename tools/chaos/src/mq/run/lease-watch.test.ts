import { expect, test } from '@jest/globals';
import { wentBack } from './lease-watch.ts';

const lease = (epoch: number, low: string) => ({ epoch, low, owner: '' });

test('what stays or goes up', () => {
  expect(wentBack([], [lease(1, '0-0')])).toEqual([]);
  expect(wentBack([lease(1, '9-3'), lease(2, '5-0')], [lease(1, '10-0'), lease(3, '5-0')])).toEqual([]);
});

test('what goes back', () => {
  expect(wentBack([lease(1, '0-0'), lease(3, '10-1')], [lease(1, '0-0'), lease(2, '10-0')])).toEqual([
    'the epoch of partition 1 went back from 3 to 2',
    'the low watermark of partition 1 went back from 10-1 to 10-0',
  ]);
});

import { expect, test } from '@jest/globals';
import type { Incarnation } from '../../processes/incarnation.ts';
import type { Entry } from './entry.ts';
import { readIncarnations } from './read-incarnation.ts';

const process: Incarnation = {
  ...{ incarnation: 'worker-0#1', from: 0 },
  ...{ killedAt: undefined, endedAt: undefined, failure: undefined },
};
const acquired = (at: number, token: string, epoch: number): Entry => ({
  ...{ type: 'acquired', at, partition: 1, token, epoch, seq: 4, offset: '7-0' },
});
const read = (entries: readonly Entry[], facts: Partial<Incarnation> = {}) =>
  readIncarnations([{ process: { ...process, ...facts }, entries }]);

test('a tenure ends when the partition is given back, and with its process', () => {
  const released: Entry = { type: 'released', at: 9, partition: 1, token: 'a' };
  const both = read([acquired(1, 'a', 1), released, acquired(20, 'b', 2)], { killedAt: 50, endedAt: 51 });
  expect(both.tenures).toEqual([
    expect.objectContaining({ token: 'a', epoch: 1, from: 1, until: 9, seq: 4, offset: '7-0' }),
    expect.objectContaining({ token: 'b', epoch: 2, from: 20, until: 50 }),
  ]);
});

test('what is given back late, under an earlier token, ends nothing', () => {
  const late: Entry = { type: 'released', at: 30, partition: 1, token: 'a' };
  const { tenures } = read([acquired(1, 'a', 1), acquired(20, 'b', 2), late]);
  expect(tenures.map(({ until }) => until)).toEqual([undefined, undefined]);
});

test('an acquisition that was asked for again is one', () => {
  expect(read([acquired(1, 'a', 1), acquired(2, 'a', 1)]).tenures).toHaveLength(1);
});

test('events of several processes come in the order of time', () => {
  const delivered = (at: number, n: number): Entry => ({ type: 'delivered', at, key: 'k', n, count: n });
  const { deliveries } = readIncarnations([
    { process, entries: [delivered(1, 1), delivered(5, 3)] },
    { process: { ...process, incarnation: 'worker-1#1' }, entries: [delivered(3, 2)] },
  ]);
  expect(deliveries.map(({ incarnation, n }) => [incarnation, n])).toEqual([
    ['worker-0#1', 1],
    ['worker-1#1', 2],
    ['worker-0#1', 3],
  ]);
});

test('a stop that the process was killed in has no end', () => {
  const stopping: Entry = { type: 'stopping', at: 1, budget: 100 };
  expect(read([stopping]).stops).toEqual([expect.objectContaining({ budget: 100, took: undefined })]);
  expect(read([stopping, { type: 'stopped', at: 9, took: 8 }]).stops).toEqual([
    expect.objectContaining({ took: 8 }),
  ]);
});

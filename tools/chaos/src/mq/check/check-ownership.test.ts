import { expect, test } from '@jest/globals';
import type { PartitionState } from '../redis/stored.ts';
import { entry, handling, history, namesOf, settled, tenure } from '../test-support/histories.ts';
import { checkOwnership } from './check-ownership.ts';

const [message] = namesOf('key-1', 1).map((name) => entry(4, 100, name));
if (message === undefined) throw new Error('one message');
const next = { incarnation: 'consumer-1#1', epoch: 2 };

test('one owner after the other, and everything settled', () => {
  const tenures = [
    tenure(4, 500, { until: 900, how: 'released' }),
    tenure(4, 1_000, next),
    tenure(5, 1_000, next),
  ];
  const facts = { tenures, handlings: [handling(message, 600), handling(message, 1_100, next)] };
  expect(checkOwnership(history({ ...facts, states: [settled(4, '100-0')] }))).toEqual([]);
});

test('an epoch with two owners', () => {
  const tenures = [tenure(4, 500), tenure(4, 1_000, { ...next, epoch: 1 })];
  expect(checkOwnership(history({ tenures }))).toEqual([
    expect.objectContaining({
      what: 'partition 4 had two owners under epoch 1: consumer-0#1 and consumer-1#1',
    }),
  ]);
});

test('a handler that starts after another has taken over', () => {
  const tenures = [tenure(4, 500), tenure(4, 1_000, next)];
  const found = (start: number) =>
    checkOwnership(history({ tenures, handlings: [handling(message, start)] }));
  expect(found(999)).toEqual([]);
  expect(found(1_001)).toEqual([
    expect.objectContaining({
      what: expect.stringContaining('after consumer-1#1 had taken over with epoch 2'),
    }),
  ]);
  // A batch handler was called before, and comes to the message later.
  const late = handling(message, 1_200, { called: 999 });
  expect(checkOwnership(history({ tenures, handlings: [late] }))).toEqual([]);
});

test.each<[string, Partial<PartitionState>, string]>([
  ['entries that wait', { pending: 2 }, '2 are pending'],
  ['entries that were not delivered', { delivered: '99-0' }, 'the group was given 99-0'],
  ['a group that is gone', { delivered: undefined }, 'the group was given no group'],
  ['a low watermark that stayed behind', { low: '99-0', held: '99-0' }, 'low is 99-0'],
  ['a hold that stayed behind', { held: '99-0' }, 'retention keeps what is above 99-0'],
  ['a lease that was not given back', { owned: true }, 'held by somebody'],
  ['retries that were not forgotten', { retries: ['7-0'] }, 'retries are recorded of 7-0'],
  ['attempts that were not forgotten', { attempts: ['7-0', '8-0'] }, 'attempts are recorded of 7-0 8-0'],
])('at the end: %s', (_, facts, what) => {
  const found = checkOwnership(history({ states: [settled(3, '100-0'), settled(4, '100-0', facts)] }));
  expect(found.map((each) => each.what)).toEqual([
    expect.stringMatching(new RegExp(`^partition 4: .*${what}`)),
  ]);
});

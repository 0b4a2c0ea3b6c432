import { expect, test } from '@jest/globals';
import type { Handling } from '../history/history.ts';
import { entry, handling, history, namesOf } from '../test-support/histories.ts';
import { checkOrder } from './check-order.ts';

const log = namesOf('key-1', 2).map((name, at) => entry(0, 100 + at, name));
const [a, b] = log as [(typeof log)[0], (typeof log)[0]];

function told(...handlings: Handling[]): string[] {
  return checkOrder(history({ log, handlings })).map(({ what }) => what);
}

test('one after the other', () => {
  expect(told(handling(a, 1_000), handling(b, 1_010))).toEqual([]);
});

test('the second begins before the first has ended', () => {
  expect(told(handling(a, 1_000), handling(b, 1_005))).toEqual([
    '0/101-0 of key-1 was handled before 0/100-0, which stands before it',
  ]);
});

test('the second succeeds while the first waits for its retry', () => {
  expect(told(handling(a, 1_000, { result: 'failed' }), handling(b, 1_020), handling(a, 1_040))).toContain(
    '0/101-0 of key-1 was handled before 0/100-0, which stands before it',
  );
});

test('the second goes on while the first is dead, and not before', () => {
  const dead = handling(a, 1_000, { result: 'dead' });
  expect(told(dead, handling(b, 1_020))).toEqual([]);
  expect(told(dead, handling(b, 1_005))).toHaveLength(1);
});

test('the next owner does both again', () => {
  const next = { incarnation: 'consumer-1#1', epoch: 2 };
  const again = [handling(a, 3_000, next), handling(b, 3_020, next)];
  expect(told(handling(a, 1_000), handling(b, 1_020), ...again)).toEqual([]);
});

test('an owner that was stopped ends what it had begun, long after the next one', () => {
  const next = { incarnation: 'consumer-1#1', epoch: 2 };
  const stopped = handling(a, 1_000, { end: 9_000 });
  expect(told(stopped, handling(a, 3_000, next), handling(b, 3_020, next))).toEqual([]);
});

test('under one epoch nobody goes back, nor does one message twice', () => {
  expect(told(handling(a, 1_000), handling(b, 1_020), handling(a, 1_040))).toEqual([
    'consumer-0#1 went back from 0/101-0 to 0/100-0 under epoch 1',
  ]);
  expect(told(handling(a, 1_000), handling(a, 1_020))).toEqual([
    'consumer-0#1 went back from 0/100-0 to 0/100-0 under epoch 1',
  ]);
});

test('keys go their own ways', () => {
  const other = namesOf('key-2', 1).map((name) => entry(0, 99, name));
  const handlings = [handling(a, 1_000), ...other.map((each) => handling(each, 1_005))];
  expect(checkOrder(history({ log: [...other, ...log], handlings }))).toEqual([]);
});

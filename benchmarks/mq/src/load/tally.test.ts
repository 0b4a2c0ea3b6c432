import { expect, test } from '@jest/globals';
import { Tally } from './tally.ts';

function tallyOf(ordered: boolean, ...orders: [index: number, partition: number][]): Tally {
  const tally = new Tally(ordered);
  for (const [index, partition] of orders) tally.add(index, partition);
  return tally;
}

test('every order once, each partition in order', () => {
  const tally = tallyOf(true, [1, 1], [0, 0], [3, 1], [2, 0]);
  expect(tally.count).toBe(4);
  expect(() => tally.check(4)).not.toThrow();
});

test('one that comes twice is told', () => {
  expect(() => tallyOf(false, [0, 0], [0, 0])).toThrow('order 0 came twice');
});

test('one that comes after a later one of its partition is told, where order is promised', () => {
  expect(() => tallyOf(true, [1, 0], [0, 0])).toThrow('order 0 came after order 1 of partition 0');
  expect(() => tallyOf(false, [1, 0], [0, 0]).check(2)).not.toThrow();
});

test('one that is missing is told, and one too many', () => {
  expect(() => tallyOf(true, [0, 0], [2, 0]).check(3)).toThrow(
    '3 orders were sent and 2 came; order 1 did not',
  );
  expect(() => tallyOf(true, [0, 0], [1, 0], [2, 0]).check(2)).toThrow('2 orders were sent and 3 came');
});

test('any number of orders', () => {
  const tally = new Tally(true);
  for (let index = 0; index < 200_000; index++) tally.add(index, index % 8);
  expect(() => tally.check(200_000)).not.toThrow();
});

import { expect, test } from '@jest/globals';
import { TaskFailures } from './task-failures.ts';

function failures(random = () => 1): TaskFailures {
  return new TaskFailures({ attempts: 5, initialBackoff: 100, maxBackoff: 500 }, random);
}

test('counts the failures in a row of one thing', () => {
  const counted = failures();
  expect(counted.any).toBe(false);
  expect([counted.note('item 1'), counted.note('item 1')]).toEqual([1, 2]);
  expect(counted.any).toBe(true);
  expect(counted.note('item 2')).toBe(1);
  counted.clear();
  expect(counted.any).toBe(false);
  expect(counted.note('item 2')).toBe(1);
});

test('waits longer from one to the next, up to the longest wait, and a random part of it', () => {
  const counted = failures();
  const delays = [1, 2, 3, 4, 5].map(() => {
    counted.note('item');
    return counted.delay();
  });
  expect(delays).toEqual([100, 200, 400, 500, 500]);
  const half = failures(() => 0.5);
  half.note('item');
  expect(half.delay()).toBe(50);
});

import { expect, test } from '@jest/globals';
import { ReadAhead } from './read-ahead.ts';

test('a task or two read ahead; of more, those that are busy do not', () => {
  const ahead = new ReadAhead();
  const queues = Array.from({ length: 4 }, () => ({ length: 0 }));
  const removals = queues.map((queue) => ahead.add(queue));
  expect(ahead.batches).toBe(2);
  const [first, second, third] = queues as [{ length: number }, { length: number }, { length: number }];
  first.length = second.length = 7;
  expect(ahead.batches).toBe(2);
  third.length = 1;
  expect(ahead.batches).toBe(1);
  first.length = 0;
  expect(ahead.batches).toBe(2);
  first.length = 500;
  expect(ahead.batches).toBe(1);
  removals[1]?.();
  expect(ahead.batches).toBe(2);
});

import { expect, test } from '@jest/globals';
import type { StoredDeadLetter } from './stored-dead-letter.ts';
import { CauseCounter } from './summary.ts';

function letter(group: string, reason: string, signature: string, failedAt: number): StoredDeadLetter {
  const place = { partition: 0, entry: '1-0', messageId: '1-0', fields: [] };
  return { ...place, group, reason, error: JSON.stringify({ signature }), failedAt, attempts: 1 };
}

test('counts by group, reason and signature, the most frequent first, then the latest', () => {
  const counter = new CauseCounter();
  expect(counter.causes()).toEqual([]);
  for (const each of [
    letter('a', 'attempts', 'timeout', 20),
    letter('b', 'attempts', 'timeout', 5),
    letter('a', 'policy', 'timeout', 90),
    letter('a', 'attempts', 'timeout', 10),
    letter('a', 'attempts', 'down', 7),
    letter('a', 'attempts', 'timeout', 30),
    // Parts that would make one text if they were just put together.
    letter('a', 'attempts', '', 1),
    letter('a,attempts', '', '', 2),
  ]) {
    counter.add(each);
  }
  const one = { count: 1 };
  expect(counter.causes()).toEqual([
    { group: 'a', reason: 'attempts', signature: 'timeout', count: 3, oldest: 10, newest: 30 },
    { group: 'a', reason: 'policy', signature: 'timeout', ...one, oldest: 90, newest: 90 },
    { group: 'a', reason: 'attempts', signature: 'down', ...one, oldest: 7, newest: 7 },
    { group: 'b', reason: 'attempts', signature: 'timeout', ...one, oldest: 5, newest: 5 },
    { group: 'a,attempts', reason: '', signature: '', ...one, oldest: 2, newest: 2 },
    { group: 'a', reason: 'attempts', signature: '', ...one, oldest: 1, newest: 1 },
  ]);
});

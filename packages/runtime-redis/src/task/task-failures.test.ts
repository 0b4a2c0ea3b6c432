import { expect, test } from '@jest/globals';
import { type Failing, TaskFailures } from './task-failures.ts';

function failures(random = () => 1): TaskFailures {
  return new TaskFailures({ attempts: 5, initialBackoff: 100, maxBackoff: 500 }, random);
}

function timer(kind: 'event' | 'processing', time = 5): Failing {
  return { timer: { operator: 'op', kind, time, key: 's:k', namespace: '' } };
}

test('counts the failures of each thing', () => {
  const counted = failures();
  expect(counted.any).toBe(false);
  expect([counted.note({ item: 1 }), counted.note({ item: 1 })]).toEqual([1, 2]);
  expect([counted.note(timer('event')), counted.note(timer('event', 6))]).toEqual([1, 1]);
  expect(counted.note({ item: 1 })).toBe(3);
  counted.forget({ item: 1 });
  expect(counted.note({ item: 1 })).toBe(1);
  expect(counted.any).toBe(true);
});

test('timers that fire in between say nothing about a record', () => {
  const counted = failures();
  counted.note({ item: 1 });
  counted.ticked();
  expect(counted.note({ item: 1 })).toBe(2);
  counted.processed();
  expect(counted.any).toBe(false);
});

test('records in between say nothing about a timer of processing time, and what made one of event time due has fired it', () => {
  const counted = failures();
  counted.note(timer('processing'));
  counted.note(timer('event'));
  counted.processed();
  expect([counted.note(timer('processing')), counted.note(timer('event'))]).toEqual([2, 1]);
  counted.ticked();
  expect(counted.any).toBe(false);
});

test('waits longer from one to the next, up to the longest wait, and a random part of it', () => {
  expect([1, 2, 3, 4, 5].map((count) => failures().delay(count))).toEqual([100, 200, 400, 500, 500]);
  expect(failures(() => 0.5).delay(1)).toBe(50);
});

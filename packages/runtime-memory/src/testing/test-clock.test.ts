import { expect, test } from '@jest/globals';
import { TestClock } from './test-clock.ts';

test('stands still until it is moved, and never goes back', () => {
  const clock = new TestClock(100);
  expect([clock.now(), clock.next]).toEqual([100, Infinity]);
  clock.moveTo(250);
  clock.moveTo(50);
  expect(clock.now()).toBe(250);
});

test('calls those who wait at their time, in the order of their times, also those who come on the way', () => {
  const clock = new TestClock(0);
  const calls: string[] = [];
  const note = (name: string) => () => void calls.push(`${name}@${clock.now()}`);
  clock.after(30, note('c'));
  clock.after(10, () => {
    note('a')();
    clock.after(5, note('b'));
    clock.after(100, note('later'));
  });
  clock.after(30, note('d'));
  const cancel = clock.after(20, note('cancelled'));
  cancel();
  expect(clock.next).toBe(10);
  clock.moveTo(50);
  expect([calls, clock.now(), clock.next]).toEqual([['a@10', 'b@15', 'c@30', 'd@30'], 50, 110]);
});

test('who does not want to wait is called in the next turn, unless that is cancelled', async () => {
  const clock = new TestClock(0);
  const calls: string[] = [];
  clock.after(0, () => calls.push('called'));
  clock.after(0, () => calls.push('cancelled'))();
  expect([calls, clock.next]).toEqual([[], Infinity]);
  await clock.breathe();
  expect(calls).toEqual(['called']);
});

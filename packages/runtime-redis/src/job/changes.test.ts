import { expect, test } from '@jest/globals';
import { FakeTimers } from '../test-support/fake-timers.ts';
import { Changes } from './changes.ts';

function setUp() {
  const timers = new FakeTimers();
  const changes = new Changes(timers);
  const so = { is: false };
  return { timers, changes, so, isSo: () => so.is };
}

test('what is so already is not waited for', async () => {
  const { changes } = setUp();
  expect(await changes.until(() => true, { timeout: 0 })).toBe(true);
});

test('looks when something has changed, and at no other time', async () => {
  const { timers, changes, so, isSo } = setUp();
  let answer: boolean | undefined;
  void changes.until(isSo).then((result) => {
    answer = result;
  });
  changes.notify();
  await timers.settle();
  so.is = true;
  await timers.advance(1_000_000);
  expect([answer, timers.time.planned]).toEqual([undefined, 0]);
  changes.notify();
  await timers.settle();
  expect(answer).toBe(true);
});

test('looks again and again where it is told to', async () => {
  const { timers, changes, so, isSo } = setUp();
  const waiting = changes.until(isSo, { every: 20 });
  await timers.advance(100);
  so.is = true;
  await timers.advance(20);
  expect(await waiting).toBe(true);
  expect(timers.time.planned).toBe(0);
});

test('says so when the time is up, whatever has changed meanwhile', async () => {
  const { timers, changes, isSo } = setUp();
  const waiting = changes.until(isSo, { timeout: 50 });
  await timers.advance(40);
  changes.notify();
  await timers.advance(10);
  expect(await waiting).toBe(false);
});

test('a signal ends the waiting with its reason and leaves nothing behind', async () => {
  const { timers, changes, isSo } = setUp();
  const controller = new AbortController();
  const waiting = changes.until(isSo, { signal: controller.signal, timeout: 1_000 });
  controller.abort('enough');
  await expect(waiting).rejects.toBe('enough');
  expect(timers.time.planned).toBe(0);
});

test('a condition that throws ends the waiting', async () => {
  const { changes } = setUp();
  const failing = (): boolean => {
    throw new RangeError('no');
  };
  await expect(changes.until(failing)).rejects.toThrow('no');
});

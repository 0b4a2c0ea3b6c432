import { expect, test } from '@jest/globals';
import { RsError } from '@rs/core';
import { FakeTime, FakeTimers } from '../test-support/fake-timers.ts';
import { turn } from '../test-support/turn.ts';
import { TaskControl } from './task-control.ts';

const LOST = new RsError('RS_LEASE_LOST', 'lost');

function control(paused = false): { readonly control: TaskControl; readonly time: FakeTime } {
  const time = new FakeTime();
  return { control: new TaskControl(new FakeTimers(time), paused), time };
}

/** Whether a wait is over. */
function watch(waiting: Promise<void>): { done: boolean } {
  const watched = { done: false };
  void waiting.then(() => (watched.done = true));
  return watched;
}

test('a wait ends with what happens next, or after its time', async () => {
  const { control: it, time } = control();
  const first = watch(it.wait(Infinity));
  await turn();
  expect(first.done).toBe(false);
  it.notify();
  await turn();
  expect(first.done).toBe(true);

  const second = watch(it.wait(100));
  await time.advance(99);
  expect(second.done).toBe(false);
  await time.advance(1);
  expect(second.done).toBe(true);
  expect(time.planned).toBe(0);
});

test('what happens before a wait is not lost', async () => {
  const { control: it } = control();
  it.setPaused(true);
  const waiting = watch(it.wait(Infinity));
  await turn();
  expect(waiting.done).toBe(true);
});

test('a sleep ends early only when the work is to end', async () => {
  const { control: it, time } = control();
  const sleeping = watch(it.sleep(1_000));
  it.notify();
  it.requestStop({ drain: true });
  await turn();
  expect(sleeping.done).toBe(false);
  it.requestStop({ drain: false });
  await turn();
  expect(sleeping.done).toBe(true);
  expect(time.planned).toBe(0);
  const later = watch(it.sleep(1_000));
  await turn();
  expect(later.done).toBe(true);
});

test('patience ends early only when the task is lost', async () => {
  const { control: it, time } = control();
  const waiting = watch(it.patience(1_000));
  it.requestStop({ drain: false });
  await turn();
  expect(waiting.done).toBe(false);
  it.lose(LOST);
  await turn();
  expect(waiting.done).toBe(true);
  expect(time.planned).toBe(0);
});

test('patience with work ends with it, and leaves nothing behind', async () => {
  const { control: it, time } = control();
  await it.patienceWith(Promise.resolve(), 1_000);
  await it.patienceWith(Promise.reject(new RangeError('no')), 1_000);
  expect(time.planned).toBe(0);
  const waiting = watch(it.patienceWith(new Promise(() => undefined), 1_000));
  await time.advance(999);
  expect(waiting.done).toBe(false);
  await time.advance(1);
  expect(waiting.done).toBe(true);
});

test('a stop that does not drain stays so', () => {
  const { control: it } = control();
  it.requestStop({ drain: true });
  expect(it.stop).toEqual({ drain: true });
  it.requestStop({ drain: false });
  it.requestStop({ drain: true });
  expect(it.stop).toEqual({ drain: false });
});

test('the first reason for a loss stands, and who works beside the loop can lose the task too', () => {
  const { control: it } = control();
  it.fail(LOST);
  it.lose(new RsError('RS_LEASE_LOST', 'again'));
  expect(it.lost).toBe(LOST);
  expect(it.failed).toBeUndefined();
  const rolledBack = new RsError('RS_INVALID_VALUE', 'broken');
  it.fail(rolledBack);
  expect(it.failed).toBe(rolledBack);
});

test('a stop ends a pause', () => {
  const { control: it } = control(true);
  expect(it.paused).toBe(true);
  it.requestStop({ drain: true });
  expect(it.paused).toBe(false);
});

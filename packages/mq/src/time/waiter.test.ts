import { expect, test } from '@jest/globals';
import { turn } from '../test-support/turn.ts';
import { Waiter } from './waiter.ts';

/** Whether the loop that waits goes on. */
async function goesOn(waiting: Promise<void>): Promise<boolean> {
  let done = false;
  void waiting.then(() => (done = true));
  await turn();
  return done;
}

test('waits until it is notified', async () => {
  const waiter = new Waiter();
  const waiting = waiter.wait();
  expect(await goesOn(waiting)).toBe(false);
  waiter.notify();
  expect(await goesOn(waiting)).toBe(true);
});

test('a notification before the wait is not lost, and many count as one', async () => {
  const waiter = new Waiter();
  waiter.notify();
  waiter.notify();
  expect(await goesOn(waiter.wait())).toBe(true);
  expect(await goesOn(waiter.wait())).toBe(false);
});

test('one that ends a wait does not end the next', async () => {
  const waiter = new Waiter();
  const first = waiter.wait();
  waiter.notify();
  await first;
  expect(await goesOn(waiter.wait())).toBe(false);
});

test('one between the end of a wait and the next wait counts', async () => {
  const waiter = new Waiter();
  const first = waiter.wait();
  waiter.notify();
  waiter.notify();
  await first;
  expect(await goesOn(waiter.wait())).toBe(true);
});

import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import { pass, stopTimers } from '../test-support/turns.ts';
import { silence } from './silence.ts';

let bytes: { received: number; sent: number; waiting: number };
let expired: jest.Mock<() => void>;
let cancel: () => void;

beforeEach(() => {
  stopTimers();
  bytes = { received: 0, sent: 0, waiting: 0 };
  expired = jest.fn();
  cancel = silence({ traffic: () => ({ ...bytes }) }, 1_000, expired);
});

afterEach(() => {
  jest.useRealTimers();
});

test('when nothing moves it calls back after its time, once', async () => {
  await pass(999);
  expect(expired).not.toHaveBeenCalled();
  await pass(1);
  expect(expired).toHaveBeenCalledTimes(1);
  await pass(10_000);
  expect(expired).toHaveBeenCalledTimes(1);
  expect(jest.getTimerCount()).toBe(0);
});

test.each([0, 100, 600, 999])('cancelled after %d ms it never does', async (millis) => {
  await pass(millis);
  cancel();
  cancel();
  await pass(10_000);
  expect(expired).not.toHaveBeenCalled();
  expect(jest.getTimerCount()).toBe(0);
});

test('each byte that comes counts anew', async () => {
  for (let i = 0; i < 20; i++) {
    bytes.received++;
    await pass(900);
  }
  expect(expired).not.toHaveBeenCalled();
  await pass(350);
  expect(expired).toHaveBeenCalledTimes(1);
});

test('so does each that had to wait and leaves', async () => {
  bytes.waiting = 20;
  for (let i = 0; i < 20; i++) {
    bytes.waiting--;
    bytes.sent++;
    await pass(700);
  }
  expect(expired).not.toHaveBeenCalled();
});

test('what is taken at once says nothing: a dead connection takes it too', async () => {
  for (let i = 0; i < 10; i++) {
    bytes.sent += 100;
    await pass(100);
  }
  expect(expired).toHaveBeenCalledTimes(1);
});

test('what only comes to wait says nothing either', async () => {
  bytes.waiting = 1;
  for (let i = 0; i < 10; i++) {
    bytes.waiting += 100;
    await pass(100);
  }
  expect(expired).toHaveBeenCalledTimes(1);
});

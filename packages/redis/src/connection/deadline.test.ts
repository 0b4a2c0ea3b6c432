import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import { stopTimers, turn } from '../test-support/turns.ts';
import { deadline } from './deadline.ts';

beforeEach(stopTimers);
afterEach(() => {
  jest.useRealTimers();
});

test('calls back when the time is over, and not before', async () => {
  const expired = jest.fn();
  deadline(100, expired);
  jest.advanceTimersByTime(99);
  await turn();
  expect(expired).not.toHaveBeenCalled();
  jest.advanceTimersByTime(1);
  await turn();
  expect(expired).toHaveBeenCalledTimes(1);
});

test('cancelled in time it never calls back', async () => {
  const expired = jest.fn();
  const cancel = deadline(100, expired);
  jest.advanceTimersByTime(99);
  cancel();
  cancel();
  jest.advanceTimersByTime(100);
  await turn();
  expect(expired).not.toHaveBeenCalled();
});

test('what is ready when the time is over comes first, and may still cancel it', async () => {
  const expired = jest.fn();
  const cancel = deadline(100, expired);
  // As after a standstill: the timer is due, and so is the reply that lies in the socket.
  jest.advanceTimersByTime(5_000);
  cancel();
  await turn();
  expect(expired).not.toHaveBeenCalled();
});

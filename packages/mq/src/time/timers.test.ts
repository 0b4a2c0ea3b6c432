import { expect, jest, test } from '@jest/globals';
import { systemTimers } from './timers.ts';

test('time only runs forward', () => {
  const before = systemTimers.monotonic();
  expect(systemTimers.monotonic()).toBeGreaterThanOrEqual(before);
});

test.each([
  ['in the past', -5, 0],
  ['now', 0, 0],
  ['between two milliseconds', 1.2, 2],
  ['later', 250, 250],
  ['in a hundred days', 8_640_000_000, 8_640_000_000],
])('a call %s', (_, ms, expected) => {
  jest.useFakeTimers();
  try {
    const run = jest.fn();
    systemTimers.after(ms, run);
    jest.advanceTimersByTime(Math.max(0, expected - 1));
    expect(run).toHaveBeenCalledTimes(expected === 0 ? 1 : 0);
    jest.advanceTimersByTime(1);
    expect(run).toHaveBeenCalledTimes(1);
  } finally {
    jest.useRealTimers();
  }
});

test('a call that is taken back does not come', () => {
  jest.useFakeTimers();
  try {
    const run = jest.fn();
    systemTimers.after(10, run)();
    jest.advanceTimersByTime(100);
    expect(run).not.toHaveBeenCalled();
  } finally {
    jest.useRealTimers();
  }
});

test('soon comes after promises and ticks', async () => {
  const order: string[] = [];
  const done = new Promise<void>((resolve) => {
    systemTimers.soon(() => {
      order.push('soon');
      resolve();
    });
  });
  process.nextTick(() => order.push('tick'));
  void Promise.resolve().then(() => order.push('promise'));
  await done;
  expect(order).toEqual(expect.arrayContaining(['tick', 'promise']));
  expect(order.at(-1)).toBe('soon');
});

test('a call that is taken back in the middle of a long wait does not come, and one after all time never does', () => {
  jest.useFakeTimers();
  try {
    const run = jest.fn();
    const cancel = systemTimers.after(2 ** 32, run);
    systemTimers.after(Infinity, run);
    jest.advanceTimersByTime(2 ** 31);
    cancel();
    jest.advanceTimersByTime(2 ** 32);
    expect(run).not.toHaveBeenCalled();
  } finally {
    jest.useRealTimers();
  }
});

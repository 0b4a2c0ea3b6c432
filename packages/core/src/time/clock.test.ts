import { afterEach, expect, jest, test } from '@jest/globals';
import { systemClock } from './clock.ts';

afterEach(() => {
  jest.useRealTimers();
});

test('systemClock reads the clock of the machine at each call', () => {
  jest.useFakeTimers({ now: 1_700_000_000_123 });
  expect(systemClock.now()).toBe(1_700_000_000_123);
  jest.setSystemTime(5);
  expect(systemClock.now()).toBe(5);
});

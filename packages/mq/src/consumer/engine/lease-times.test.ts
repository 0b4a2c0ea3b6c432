import { expect, test } from '@jest/globals';
import { leaseTimes } from './lease-times.ts';

test.each([
  { ttl: 500, renewEvery: 100, stored: 600 },
  { ttl: 3_750, renewEvery: 750, stored: 4_500 },
  { ttl: 15_000, renewEvery: 750, stored: 15_750 },
  { ttl: 3, renewEvery: 1, stored: 4 },
])('of a lease of $ttl ms', (times) => {
  expect(leaseTimes(times.ttl)).toEqual(times);
});

test('a pause of the whole lease right before a renewal keeps it, and a crash is noticed within a second more', () => {
  for (let ttl = 500; ttl < 60_000; ttl += 123) {
    const { renewEvery, stored } = leaseTimes(ttl);
    expect(stored - renewEvery).toBeGreaterThanOrEqual(ttl);
    expect(stored).toBeLessThanOrEqual(ttl + 1_000);
  }
});

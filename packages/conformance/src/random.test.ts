import { expect, test } from '@jest/globals';
import { randomEvents } from './random.ts';

const settings = { seed: 5, count: 500, keys: 4, disorder: 6 };

test('equal seeds give equal events, others do not', () => {
  expect(randomEvents(settings)).toEqual(randomEvents(settings));
  expect(randomEvents(settings)).not.toEqual(randomEvents({ ...settings, seed: 6 }));
});

test('keys, amounts and disorder are as wide as they say', () => {
  const sent = randomEvents(settings);
  expect(new Set(sent.map(({ key }) => key)).size).toBe(4);
  const offsets = sent.map(({ timestamp }, i) => timestamp - i * 2);
  expect([Math.min(...offsets), Math.max(...offsets)]).toEqual([-6, 6]);
  const amounts = sent.map(({ value }) => (value as { amount: number }).amount);
  expect([Math.min(...amounts), Math.max(...amounts)]).toEqual([0, 9]);
});

import { expect, test } from '@jest/globals';
import { Suspicion } from './suspicion.ts';

test.each([
  [0, '', false],
  [1, '', false],
  [2, '', true],
  [1, '5-0', true],
])('after %p crashes, with the mark %p, records are suspected: %p', (crashes, started, active) => {
  expect(new Suspicion({ crashes, started }, 10).active).toBe(active);
});

test('ends with the last record that may have been under way', () => {
  const suspicion = new Suspicion({ crashes: 2, started: '' }, 3);
  expect([suspicion.settled(), suspicion.settled()]).toEqual([false, false]);
  expect(suspicion.active).toBe(true);
  expect(suspicion.settled()).toBe(true);
  expect(suspicion.active).toBe(false);
  expect(suspicion.settled()).toBe(false);
});

test('ends where there is nothing more', () => {
  const suspicion = new Suspicion({ crashes: 2, started: '' }, 3);
  expect(suspicion.end()).toBe(true);
  expect(suspicion.end()).toBe(false);
  expect(suspicion.active).toBe(false);
});

test('crashes are those of the marked record alone', () => {
  const suspicion = new Suspicion({ crashes: 4, started: '7-0' }, 3);
  expect(suspicion.crashesOf('7-0')).toBe(4);
  expect(suspicion.crashesOf('8-0')).toBe(0);
});

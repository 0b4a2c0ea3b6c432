import { expect, test } from '@jest/globals';
import { Dice } from './dice.ts';
import { hash } from './hash.ts';

const throws = (seed: number): number[] => {
  const dice = new Dice(seed);
  return Array.from({ length: 2_000 }, () => dice.integer(1, 6));
};

test('the same seed throws the same, another one something else', () => {
  expect(throws(7)).toEqual(throws(7));
  expect(throws(7)).not.toEqual(throws(8));
});

test('all faces come up, about as often', () => {
  const counts = [1, 2, 3, 4, 5, 6].map((face) => throws(1).filter((thrown) => thrown === face).length);
  for (const count of counts) expect(Math.abs(count - 2_000 / 6)).toBeLessThan(80);
});

test('shuffling keeps everything', () => {
  const items = Array.from({ length: 30 }, (_, at) => at);
  const shuffled = new Dice(3).shuffled(items);
  expect(shuffled).not.toEqual(items);
  expect([...shuffled].sort((a, b) => a - b)).toEqual(items);
});

test('a hash depends on each part and on where it ends', () => {
  const hashes = [hash('a', 1), hash('a', 2), hash('b', 1), hash('a1'), hash('a', 1, ''), hash('', 'a', 1)];
  expect(new Set(hashes).size).toBe(hashes.length);
  expect(hash('a', 1)).toBe(hash('a', '1'));
});

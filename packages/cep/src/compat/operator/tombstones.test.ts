import { expect, test } from '@jest/globals';
import { fingerprint } from './fingerprint.ts';
import { Tombstones } from './tombstones.ts';

test('are about a key and a document', () => {
  const tombstones = new Tombstones();
  tombstones.bury('k', 'd');
  expect(tombstones.isDead('k', 'd')).toBe(true);
  expect(tombstones.isDead('k', 'e')).toBe(false);
  expect(tombstones.isDead('l', 'd')).toBe(false);
});

test('stay when they are looked at, and go when the document is written anew', () => {
  const tombstones = new Tombstones();
  tombstones.bury('k', 'd');
  expect([tombstones.isDead('k', 'd'), tombstones.isDead('k', 'd')]).toEqual([true, true]);
  tombstones.written('k', 'd');
  expect(tombstones.isDead('k', 'd')).toBe(false);
});

test('of keys that came back 10,000 others ago are forgotten, of keys that did not come back never', () => {
  const tombstones = new Tombstones();
  tombstones.bury('early', 'd');
  tombstones.bury('absent', 'd');
  expect(tombstones.isDead('early', 'd')).toBe(true);
  for (let at = 0; at < 10_000; at++) {
    tombstones.bury(`k${at}`, 'd');
    expect(tombstones.isDead(`k${at}`, 'd')).toBe(true);
  }
  expect(tombstones.isDead('early', 'd')).toBe(false);
  expect(tombstones.isDead('absent', 'd')).toBe(true);
  expect(tombstones.isDead('k1', 'd')).toBe(true);
});

test('fingerprints are safe integers, and differ where texts differ a little', () => {
  const texts = Array.from({ length: 20_000 }, (_none, at) => `{"partials":[{"startTimestamp":${at}}]}`);
  const prints = texts.map(fingerprint);
  expect(prints.every((print) => Number.isSafeInteger(print) && print >= 0)).toBe(true);
  expect(new Set(prints).size).toBe(texts.length);
  // Both halves carry their part.
  expect(new Set(prints.map((print) => print % 2 ** 32)).size).toBeGreaterThan(19_900);
  expect(new Set(prints.map((print) => Math.floor(print / 2 ** 32))).size).toBeGreaterThan(19_000);
});

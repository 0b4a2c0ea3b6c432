import { expect, test } from '@jest/globals';
import { partitionOf } from '@rs/core';
import { throwsOnce } from './fates.ts';
import { lastRecords, recordOf } from './records.ts';
import { LOAD } from './settings.ts';

const numbers = Array.from({ length: 20_000 }, (_, at) => at + 1);

test('a record is the same whoever asks, and another with another seed', () => {
  const records = (seed: number) => numbers.slice(0, 200).map((n) => recordOf(seed, n));
  expect(records(1)).toEqual(records(1));
  expect(records(1)).not.toEqual(records(2));
});

test('most are in time, some late, some too late, some ahead', () => {
  const behind = numbers.map((n) => LOAD.begin + n * LOAD.step - recordOf(1, n).time);
  const share = (is: (millis: number) => boolean) => behind.filter(is).length / behind.length;
  expect(share((millis) => millis >= 0 && millis < LOAD.outOfOrderness)).toBeCloseTo(0.9, 2);
  expect(share((millis) => millis >= LOAD.outOfOrderness)).toBeCloseTo(0.09, 2);
  expect(share((millis) => millis < 0)).toBeCloseTo(0.01, 2);
});

test('the last ones go to each partition once, and have numbers of their own', () => {
  const last = lastRecords(100);
  expect(last.map(({ key }) => partitionOf(key, LOAD.partitions))).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
  expect(last.map(({ n }) => n)).toEqual([101, 102, 103, 104, 105, 106, 107, 108]);
});

test('5 % of the records throw, each at one place', () => {
  const places = numbers.map((n) =>
    (['map', 'count', 'session'] as const).filter((place) => throwsOnce(1, place, n)),
  );
  expect(Math.max(...places.map(({ length }) => length))).toBe(1);
  expect(places.filter(({ length }) => length > 0).length / numbers.length).toBeCloseTo(0.05, 2);
});

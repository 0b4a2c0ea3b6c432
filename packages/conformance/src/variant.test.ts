import { describe, expect, test } from '@jest/globals';
import { partitionOf } from '@rs/core';
import { events } from './input.ts';
import { aCase, aVariant } from './test-support/fakes.ts';
import { isOrdered, selectVariants, titleOf, variantsOf } from './variant.ts';

describe('variants', () => {
  test('one for each number of partitions, and one partition where nothing is said', () => {
    expect(variantsOf(aCase()).map(({ partitions }) => partitions)).toEqual([1]);
    expect(variantsOf(aCase({ partitions: [1, 4] })).map(({ topics }) => topics)).toEqual([
      { events: 1 },
      { events: 4 },
    ]);
  });

  test('topics that fix their number, and topics without messages', () => {
    const [variant] = variantsOf(aCase({ topics: { events: 3, silent: undefined }, partitions: [2] }));
    expect(variant).toMatchObject({ topics: { events: 3, silent: 2 }, partitions: 3 });
  });

  test('messages are where their keys belong, or where the case puts them', () => {
    const input = [...events('a@1 b@2 c@3'), { topic: 'events', value: 0, timestamp: 4, partition: 3 }];
    const [variant] = variantsOf(aCase({ input, partitions: [4] }));
    expect(variant?.messages.map(({ key, partition }) => [key, partition])).toEqual([
      ...['a', 'b', 'c'].map((key) => [key, partitionOf(key, 4)]),
      [undefined, 3],
    ]);
  });

  test('only one partition in all has an order', () => {
    const ordered = (topics: Record<string, number>) => isOrdered({ ...aVariant(1), topics });
    expect([ordered({ a: 1 }), ordered({ a: 2 }), ordered({ a: 1, b: 1 })]).toEqual([true, false, false]);
  });
});

describe('selection', () => {
  const cases = [aCase({ name: 'Sliding', area: 'windows' }), aCase({ name: 'map', partitions: [1, 4] })];
  const titles = (only?: string) => selectVariants(cases, only).map(titleOf);

  test.each([
    [
      undefined,
      ['windows: Sliding, 1 partition', 'stateless: map, 1 partition', 'stateless: map, 4 partitions'],
    ],
    ['sliding', ['windows: Sliding, 1 partition']],
    ['stateless', ['stateless: map, 1 partition', 'stateless: map, 4 partitions']],
    ['windows: sl', ['windows: Sliding, 1 partition']],
    ['nothing', []],
  ])('of %p', (only, expected) => {
    expect(titles(only)).toEqual(expected);
  });
});

import { describe, expect, test } from '@jest/globals';
import { checkSums, expectedSums } from './expected.ts';
import { payments } from './payment.ts';
import { startsOf } from './work.ts';

const RECORDS = 3_000;
const paid = [...payments(RECORDS, 10)].reduce((sum, { amount }) => sum + amount, 0);

function total(sums: Iterable<number>): number {
  return [...sums].reduce((sum, each) => sum + each, 0);
}

describe('expected sums', () => {
  test.each([
    [{ kind: 'sum', customers: 10 } as const, 1],
    [{ kind: 'tumbling', customers: 10, size: 1_000 } as const, 1],
    [{ kind: 'sliding', customers: 10, size: 1_000, slide: 100 } as const, 10],
    [{ kind: 'sessions', customers: 10, gap: 30 } as const, 1],
  ])('%j: each payment counts %d times', (work, times) => {
    expect(total(expectedSums(work, RECORDS).values())).toBe(paid * times);
  });

  test('a session ends when the gap has passed, and not before', () => {
    const ends = (gap: number): number => expectedSums({ kind: 'sessions', customers: 1, gap }, 5).size;
    expect(ends(1)).toBe(5);
    expect(ends(2)).toBe(1);
  });
});

test('a time is in all windows that cover it', () => {
  expect(startsOf(1_050, 1_000, 500)).toEqual([1_000, 500]);
  expect(startsOf(1_000, 1_000, 500)).toEqual([1_000, 500]);
  expect(startsOf(999, 1_000, 1_000)).toEqual([0]);
});

describe('checkSums', () => {
  const expected = new Map([
    ['a', 1],
    ['b', 2],
  ]);

  test('takes what is right', () => {
    expect(() => checkSums(new Map(expected), expected)).not.toThrow();
  });

  test.each<[string, [string, number][], string]>([
    [
      'wrong',
      [
        ['a', 1],
        ['b', 3],
      ],
      'the sum of b is 3, not 2',
    ],
    ['missing', [['a', 1]], 'the sum of b is undefined, not 2'],
    [
      'too many',
      [
        ['a', 1],
        ['b', 2],
        ['c', 3],
      ],
      'there are 3 sums, not 2; one too many is c',
    ],
  ])('names what is %s', (_, sums, message) => {
    expect(() => checkSums(new Map(sums), expected)).toThrow(message);
  });
});

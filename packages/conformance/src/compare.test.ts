import { describe, expect, test } from '@jest/globals';
import { compare, type Ordering } from './compare.ts';

function differences(expected: readonly unknown[], actual: readonly unknown[], ordering: Ordering): string[] {
  return compare({ sinks: { out: expected }, late: {} }, { sinks: { out: actual }, late: {} }, ordering);
}

describe('what a difference looks like', () => {
  test('in order: what lies between the first and the last difference', () => {
    expect(differences([1, 2, 'x', 4, 5], [1, 2, 'y', 'z', 4, 5], { type: 'all' })).toEqual([
      "sink 'out':",
      '    … 2 as expected',
      "  - 'x'",
      "  + 'y'",
      "  + 'z'",
      '    … 2 as expected',
    ]);
  });

  test('a value that is missing at an end', () => {
    expect(differences([1, 2], [1], { type: 'all' })).toEqual([
      "sink 'out':",
      '    … 1 as expected',
      '  - 2',
    ]);
    expect(differences([1], [1, 1], { type: 'all' })).toEqual([
      "sink 'out':",
      '    … 1 as expected',
      '  + 1',
    ]);
  });

  test('in any order: what is missing, and what is too much', () => {
    expect(differences([1, 2, 2, 3], [3, 2, 4, 4], { type: 'none' })).toEqual([
      "sink 'out', in any order:",
      '    … 2 as expected',
      '  - 1',
      '  - 2',
      '  + 4',
      '  + 4',
    ]);
  });

  test('by key: the keys that differ', () => {
    const keyOf = (value: unknown) => String(value).slice(0, 1);
    expect(differences(['a1', 'b1', 'a2'], ['a2', 'b1', 'a1', 'c1'], { type: 'by key', keyOf })).toEqual([
      "sink 'out', key 'a':",
      "  - 'a1'",
      "  - 'a2'",
      "  + 'a2'",
      "  + 'a1'",
      "sink 'out', key 'c':",
      "  + 'c1'",
    ]);
  });

  test('is cut where it gets long', () => {
    const lines = differences(
      Array.from({ length: 30 }, (_, i) => i),
      [],
      { type: 'none' },
    );
    expect(lines).toHaveLength(22);
    expect(lines.at(-1)).toBe('  - … and 10 more');
  });

  test('late records by operator', () => {
    const outcome = { sinks: {}, late: { b: 1, a: 2, c: 0 } };
    expect(compare(outcome, { sinks: {}, late: { a: 2 } }, { type: 'all' })).toEqual([
      'late records by operator:',
      '  - { a: 2, b: 1 }',
      '  + { a: 2 }',
    ]);
  });
});

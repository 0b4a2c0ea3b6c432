import { describe, expect, test } from '@jest/globals';
import { problemsIn } from '../test-support/check.ts';

describe('unpack', () => {
  test.each([
    'return unpack(ARGV, 1, 10)',
    'local n = #ARGV return { unpack(ARGV, n - 2, n) }',
    'return unpack(ARGV) -- @bounded two ids',
    '-- @bounded two ids\nreturn unpack(ARGV)',
    'local unpack = function(t) return t[1] end return unpack(ARGV)',
    'return table.unpack',
  ])('%s', (code) => {
    expect(problemsIn(code)).toEqual([]);
  });

  test.each(['return 1, unpack(ARGV)', 'return 1, unpack(ARGV, 2)', 'return 1, unpack(unpack(ARGV, 1, 2))'])(
    'without a range it is an error: %s',
    (code) => {
      expect(problemsIn(code)).toEqual([
        'test.lua:1:11 unpack without a range: write unpack(t, i, j), or mark it with -- @bounded <reason>',
      ]);
    },
  );

  test.each([
    ['local spread = unpack', 16],
    ['return pcall(unpack, ARGV)', 14],
    ["return unpack 'x'", 8],
  ])('it is only called: %s', (code, column) => {
    expect(problemsIn(code)).toEqual([
      `test.lua:1:${column} unpack is only called: by another name it could not be checked`,
    ]);
  });
});

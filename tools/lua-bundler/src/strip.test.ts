import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { tokensOf } from './lua-file.ts';
import { strip } from './strip.ts';

const rawTokens = (text: string): string[] => tokensOf(text).map(({ range }) => text.slice(...range));

describe('strip', () => {
  test.each([
    [
      'comments',
      'local a = 1 -- one\n-- two\n--[[ three\n four ]] local b --[==[ ]] ]==] = 2',
      'local a=1\nlocal b=2',
    ],
    ['indentation and blank lines', 'do\n\n\n    local a   =   1\n\tend', 'do\nlocal a=1\nend'],
    [
      'what looks like a comment in a string',
      `return '--[[' .. "-- a" .. [[ -- b ]]`,
      `return'--[['.."-- a"..[[ -- b ]]`,
    ],
    ['quotes that are escaped', `return 'it\\'s -- so' -- no`, `return'it\\'s -- so'`],
    ['the lines of a long string', 'return [==[\n a ]]\n\n  b]==]', 'return[==[\n a ]]\n\n  b]==]'],
    ['minus before minus', 'return a - -b, a - - -b, - -a', 'return a- -b,a- - -b,- -a'],
    [
      'dots beside numbers',
      'return 1 .. 2, a .. .5, 1. .. .1, a .. b, 3 ..a, 0xA .. a1 .. 2',
      'return 1 .. 2,a.. .5,1. .. .1,a..b,3 ..a,0xA ..a1.. 2',
    ],
    ['dots beside dots', 'return a .. ...', 'return a.. ...'],
    [
      'brackets beside brackets',
      'return a[ [[b]] ], t[ [=[c]=] ], a[b[1]]',
      'return a[ [[b]]],t[ [=[c]=]],a[b[1]]',
    ],
    [
      'words beside words and numbers',
      'if a1 then return 0x1F or 1e5 end',
      'if a1 then return 0x1F or 1e5 end',
    ],
    ['a comment that parts two words', 'return--[[]]a', 'return a'],
  ])('%s', (_, text, stripped) => {
    expect(strip(text)).toBe(stripped);
  });

  test('a call stays in the line of its function, and a line break that was there stays', () => {
    expect(strip("f(\n  a,\n  b\n)\ng 'x'\n(h)()")).toBe("f(\na,\nb\n)\ng'x'\n(h)()");
  });

  const TOKENS = [
    ...['a', 'end', 'not', '_1', 'x9', '0', '1', '12.5', '3.', '.5', '0xA', '1e10', '5E-3'],
    ...[
      '+',
      '-',
      '*',
      '/',
      '%',
      '^',
      '#',
      '==',
      '~=',
      '<=',
      '>=',
      '<',
      '>',
      '=',
      '(',
      ')',
      '{',
      '}',
      '[',
      ']',
    ],
    ...[';', ':', ',', '.', '..', '...', "''", '"--"', "'\\''", '[[]]', '[[--]]', '[==[ ]] ]==]'],
  ];
  const GAPS = [' ', '  ', '\t', '\n', '\n\n  ', ' -- c\n', ' --[[ c ]] ', ' --[==[ c\n ]] ]==] ', ' --\n'];
  const program = fc.array(fc.tuple(fc.constantFrom(...TOKENS), fc.constantFrom(...GAPS)));

  test('keeps every token, and every line break between tokens', () => {
    fc.assert(
      fc.property(program, (parts) => {
        const text = parts.flat().join('');
        const stripped = strip(text);
        expect(rawTokens(stripped)).toEqual(parts.map(([token]) => token));
        const breaks = (of: string): boolean[] => {
          const tokens = tokensOf(of);
          return tokens.slice(1).map(({ line }, at) => line > (tokens[at]?.line ?? line));
        };
        expect(breaks(stripped)).toEqual(breaks(text));
      }),
    );
  });

  test('leaves nothing to strip', () => {
    fc.assert(
      fc.property(program, (parts) => {
        const stripped = strip(parts.flat().join(''));
        expect(strip(stripped)).toBe(stripped);
      }),
    );
  });
});

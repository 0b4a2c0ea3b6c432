import { expect, test } from '@jest/globals';
import { parseLua } from './lua-file.ts';

test.each([
  ['a keyword out of place', 'local a = 1\nend', 2, 1],
  ['an expression that is missing', 'local a =\nlocal b', 2, 1],
  ['a string that does not end', "local a = 1\nlocal b = 'x", 2, 11],
  ['a string that does not end in its line', "local b = 'x\nlocal c = 1", 1, 11],
  ['a long string that does not end', 'local a = [[x', 1, 14],
  ['a number', 'local a = 1\n  local b = 3x', 2, 13],
  ['a number before a word', 'if a == 3then end', 1, 9],
  ['a number before dots', 'return 1..2', 1, 8],
  ['a call on the next line', 'local f = g\n(h or i)()', 2, 1],
  ['goto, which 5.1 does not have', 'goto out', 1, 6],
  ['bit operators, which 5.1 does not have', 'local a = 1\nreturn a & 2', 2, 10],
  ['a break outside of a loop', 'do\n  break\nend', 3, 1],
])('the position of a syntax error: %s', (_, text, line, column) => {
  expect(parseLua('a.lua', text)).toMatchObject({ file: 'a.lua', line, column });
});

test('the message has no second position in it', () => {
  expect(parseLua('a.lua', 'local = 1')).toEqual({
    file: 'a.lua',
    line: 1,
    column: 7,
    message: "<name> expected near '='",
  });
});

import { expect, test } from '@jest/globals';
import { problemLines } from './problem.ts';

test('problems are listed by file, line and column, and one that several scripts share once', () => {
  const at = (file: string, line: number, column: number, message: string) => ({
    file,
    line,
    column,
    message,
  });
  const problems = [
    at('b.lua', 1, 1, 'x'),
    at('a.lua', 10, 1, 'x'),
    at('a.lua', 9, 12, 'x'),
    at('a.lua', 9, 2, 'y'),
    at('b.lua', 1, 1, 'x'),
  ];
  expect(problemLines(problems)).toEqual(['a.lua:9:2 y', 'a.lua:9:12 x', 'a.lua:10:1 x', 'b.lua:1:1 x']);
});

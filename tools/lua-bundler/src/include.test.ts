import { describe, expect, test } from '@jest/globals';
import { bundle } from './bundle.ts';
import { problemsOf, script, sourcesOf } from './test-support/sources.ts';

const USE = "return redis.call('GET', KEYS[1])";

function sourceOf(files: Readonly<Record<string, string>>): string | undefined {
  const { scripts, problems } = bundle(sourcesOf(files), 'the command');
  expect(problems).toEqual([]);
  return scripts[0]?.source;
}

describe('-- @include', () => {
  test('puts the file before the script', () => {
    const files = {
      'read-thing.lua': script(`-- @include one\nreturn one(KEYS[1])`),
      'include/one.lua': "-- Reads.\nlocal function one(key) return redis.call('GET', key) end\n",
    };
    expect(sourceOf(files)).toBe(
      "local function one(key)return redis.call('GET',key)end\nreturn one(KEYS[1])",
    );
  });

  test('every file once, in the order of first use, what a file includes before it', () => {
    const files = {
      'read-thing.lua': script(`-- @include c\n-- @include b\n-- @include a\nlocal d = 4\n${USE}`),
      'include/a.lua': 'local a = 1',
      'include/b.lua': '-- @include a\nlocal b = 2',
      'include/c.lua': '-- @include b\nlocal c = 3',
    };
    expect(sourceOf(files)?.split('\n').slice(0, 4)).toEqual([
      'local a=1',
      'local b=2',
      'local c=3',
      'local d=4',
    ]);
  });

  test('a name that nobody has is an error at the name', () => {
    expect(problemsOf({ 'read-thing.lua': script(`\n-- @include owner\n${USE}`) })).toEqual([
      'src/lua/read-thing.lua:10:13 there is no include/owner.lua',
    ]);
  });

  test('also inside of an include', () => {
    const files = {
      'read-thing.lua': script(`-- @include a\n${USE}`),
      'include/a.lua': '--   @include   b\nlocal a = 1',
    };
    expect(problemsOf(files)).toEqual(['src/lua/include/a.lua:1:17 there is no include/b.lua']);
  });

  test('a circle is an error at the name that closes it', () => {
    const files = {
      'read-thing.lua': script(`-- @include a\n${USE}`),
      'include/a.lua': '-- @include b\nlocal a = 1',
      'include/b.lua': '\n-- @include c\nlocal b = 1',
      'include/c.lua': '-- @include a\nlocal c = 1',
    };
    expect(problemsOf(files)).toEqual(['src/lua/include/c.lua:1:13 includes go in a circle: a → b → c → a']);
  });

  test('so is a file that includes itself', () => {
    const files = {
      'read-thing.lua': script(`-- @include a\n${USE}`),
      'include/a.lua': '-- @include a\nlocal a = 1',
    };
    expect(problemsOf(files)).toEqual(['src/lua/include/a.lua:1:13 includes go in a circle: a → a']);
  });

  test.each([
    ['', '9:1'],
    [' include/a', '9:1'],
    [' "a"', '9:1'],
    [' a b', '9:1'],
  ])("'-- @include%s' is malformed", (rest, place) => {
    const files = { 'read-thing.lua': script(`-- @include${rest}\n${USE}`) };
    expect(problemsOf(files)).toEqual([
      `src/lua/read-thing.lua:${place} write '-- @include <name>' for include/<name>.lua`,
    ]);
  });

  test('it stands before the first statement', () => {
    const files = {
      'read-thing.lua': script(`local a = 1\n-- @include a\n${USE}`),
      'include/a.lua': 'local b = 1',
    };
    expect(problemsOf(files)).toContain(
      'src/lua/read-thing.lua:10:1 @include stands before the first statement',
    );
  });

  test('in a string it is text', () => {
    expect(sourceOf({ 'read-thing.lua': script(`local a = '-- @include b'\n${USE}`) })).toContain(
      "'-- @include b'",
    );
  });
});

describe('the files of include/', () => {
  test('a syntax error has the position in its file, once for all scripts', () => {
    const files = {
      'read-one.lua': script(`-- @include a\n${USE}`),
      'read-two.lua': script(`-- @include a\n${USE}`),
      'include/a.lua': 'local a = 1\nlocal function () end',
    };
    expect(problemsOf(files)).toEqual(["src/lua/include/a.lua:2:16 <name> expected near '('"]);
  });

  test('one that no script includes is an error', () => {
    expect(problemsOf({ 'read-thing.lua': script(USE), 'include/a.lua': 'local a = 1' })).toEqual([
      'src/lua/include/a.lua:1:1 no script includes this file',
    ]);
  });

  test('they only declare locals', () => {
    const files = {
      'read-thing.lua': script(`-- @include a\n${USE}`),
      'include/a.lua': "local a = 1\nlocal function b() return a end\nredis.log(redis.LOG_NOTICE, 'x')",
    };
    expect(problemsOf(files)).toEqual([
      'src/lua/include/a.lua:3:1 an include has local functions and local values, nothing else',
    ]);
  });

  test('a name that another file of the script declares too is an error', () => {
    const files = {
      'read-thing.lua': script(`-- @include a\nlocal now = 2\n${USE}`),
      'include/a.lua': 'local function now() return 1 end',
    };
    expect(problemsOf(files)).toEqual([
      "src/lua/read-thing.lua:10:1 'now' is declared in src/lua/include/a.lua too: rename one",
    ]);
  });

  test('two files that are one statement together are an error', () => {
    const files = {
      'read-thing.lua': script(`-- @include a\n(redis.call)('GET', KEYS[1])`),
      'include/a.lua': 'local a = type',
    };
    expect(problemsOf(files)).toContainEqual(
      expect.stringContaining(
        'src/lua/read-thing.lua:1:1 together with its includes the script is no Lua: ambiguous',
      ),
    );
  });
});

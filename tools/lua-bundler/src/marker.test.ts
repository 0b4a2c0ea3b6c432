import { describe, expect, test } from '@jest/globals';
import { problemsIn } from './test-support/check.ts';

describe('markers', () => {
  test.each([
    ['on the line', "redis.call('GET', 'x') -- @key why"],
    ['on the line before', "-- @key why\nredis.call('GET', 'x')"],
    ['before other comments', "-- @key why\n-- and more\nredis.call('GET', 'x')"],
    ['several before', "-- @key why\n-- @unbounded why\nredis.call('HGETALL', 'x')"],
    ['several in one comment', "-- @key why @unbounded why\nredis.call('HGETALL', 'x')"],
    ['without a blank', "redis.call('GET', 'x') --@key why"],
  ])('%s', (_, code) => {
    expect(problemsIn(code)).toEqual([]);
  });

  test.each([
    ['on the line after', "redis.call('GET', 'x')\n-- @key why"],
    ['two lines before', "-- @key why\n\nredis.call('GET', 'x')"],
    ['at the end of the line before', "local a = 1 -- @key why\nredis.call('GET', 'x')"],
    ['in text', "-- it has a @key why\nredis.call('GET', 'x')"],
    ['of another kind', "-- @unbounded why\nredis.call('GET', 'x')"],
  ])('none: %s', (_, code) => {
    expect(problemsIn(code)).toContainEqual(expect.stringContaining('the key of GET is not declared'));
  });

  test('one without a reason is an error', () => {
    expect(problemsIn("redis.call('GET', KEYS[1]) -- @key")).toEqual([
      "test.lua:1:31 say why: '-- @key <reason>'",
    ]);
  });

  test('an unknown one is an error', () => {
    expect(problemsIn('-- @keys why\nreturn 1')).toEqual([
      "test.lua:1:4 there is no marker '@keys'; known are @include, @key, @unbounded and @bounded",
    ]);
  });

  test('one that allows nothing is an error', () => {
    expect(problemsIn("redis.call('GET', KEYS[1]) -- @key why")).toEqual([
      "test.lua:1:31 '@key' allows nothing here: remove it, or put it on the line it is for or the one before",
    ]);
  });
});

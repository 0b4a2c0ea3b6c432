import { describe, expect, test } from '@jest/globals';
import { problemsIn } from '../test-support/check.ts';

describe('names of commands', () => {
  test.each([
    "return redis.call('TIME')",
    "return redis.call 'TIME'",
    'return redis.pcall("time")',
    "local call = redis.call return call('GET', KEYS[1])",
    "local call, try = redis.call, redis.pcall return call('GET', KEYS[1]) or try('GET', KEYS[2])",
    "return pcall(function() return redis.call('GET', KEYS[1]) end)",
  ])('%s', (code) => {
    expect(problemsIn(code)).toEqual([]);
  });

  test.each([
    ['redis.call(ARGV[1], KEYS[1])', 12],
    ["redis.call('G' .. 'ET', KEYS[1])", 12],
    ['redis.call(unpack(ARGV, 1, 2))', 12],
    ["redis.call({ 'GET' })", 12],
    ["redis.call { 'GET' }", 12],
    ["redis.call('\\71ET', KEYS[1])", 12],
    ['redis.call()', 1],
  ])('one that is not written out is an error: %s', (code, column) => {
    expect(problemsIn(code)).toEqual([
      `test.lua:1:${column} the name of the command must be written out, as a plain string`,
    ]);
  });

  test('an unknown one is an error', () => {
    expect(problemsIn("return redis.call('GETT', KEYS[1])")).toEqual([
      'test.lua:1:19 GETT is not in the table of commands (tools/lua-bundler/src/command/table.ts)',
    ]);
  });

  test('one that has no place in a script is an error', () => {
    expect(problemsIn("\n redis.call('eval', 'return 1', 0)")).toEqual([
      'test.lua:2:13 EVAL may not be used: a script runs no other; use -- @include',
    ]);
  });

  test.each([
    ["return pcall(redis.call, 'GET', KEYS[1])", 14],
    ['local r = redis', 11],
    ["return redis['call']('GET', KEYS[1])", 8],
    ["local call = redis.call return pcall(call, 'FLUSHALL')", 38],
    ['local call call = redis.call', 19],
    ['local t = { call = redis.call }', 20],
    ['return redis.call', 8],
  ])('a call that is out of sight is an error: %s', (code, column) => {
    expect(problemsIn(code)).toEqual([
      `test.lua:1:${column} redis.call and redis.pcall are only called, also as a local: else their commands are out of sight`,
    ]);
  });
});

describe('unbounded commands', () => {
  test.each([
    ["'KEYS', 'rs:*'", 'KEYS'],
    ["'SCAN', 0, 'COUNT', 10", 'SCAN'],
    ["'FLUSHALL'", 'FLUSHALL'],
    ["'SMEMBERS', KEYS[1]", 'SMEMBERS'],
    ["'HGETALL', KEYS[1]", 'HGETALL'],
    ["'hvals', KEYS[1]", 'HVALS'],
    ["'LRANGE', KEYS[1], 0, -1", 'LRANGE'],
    ["'LRANGE', KEYS[1], '10', '-2'", 'LRANGE'],
    ["'LTRIM', KEYS[1], 0, 9", 'LTRIM'],
    ["'ZRANGE', KEYS[1], 0, -1, 'WITHSCORES'", 'ZRANGE'],
    ["'ZRANGE', KEYS[1], 1, 2, 'BYSCORE'", 'ZRANGE'],
    ["'ZRANGESTORE', KEYS[1], KEYS[2], 0, -1", 'ZRANGESTORE'],
    ["'ZREVRANGE', KEYS[1], 0, -1", 'ZREVRANGE'],
    ["'ZRANGEBYSCORE', KEYS[1], '-inf', ARGV[1]", 'ZRANGEBYSCORE'],
    ["'ZREMRANGEBYSCORE', KEYS[1], '-inf', ARGV[1]", 'ZREMRANGEBYSCORE'],
    ["'ZREMRANGEBYRANK', KEYS[1], 0, -1", 'ZREMRANGEBYRANK'],
    ["'SUNION', KEYS[1], KEYS[2]", 'SUNION'],
    ["'XRANGE', KEYS[1], '-', '+'", 'XRANGE'],
    ["'XREAD', 'STREAMS', KEYS[1], '0'", 'XREAD'],
    ["'XREADGROUP', 'GROUP', 'g', 'c', 'STREAMS', KEYS[1], '>'", 'XREADGROUP'],
    ["'XTRIM', KEYS[1], 'MINID', ARGV[1]", 'XTRIM'],
  ])('redis.call(%s)', (args, name) => {
    const code = `local reply = redis.call(${args})`;
    expect(problemsIn(code)).toEqual([expect.stringMatching(`^test.lua:1:26 ${name} is unbounded: `)]);
    expect(problemsIn(`${code} -- @unbounded few of them`)).toEqual([]);
    expect(problemsIn(`-- @unbounded few of them\n${code}`)).toEqual([]);
  });

  test('the message says why, and what to do', () => {
    expect(problemsIn("redis.call('XRANGE', KEYS[1], '-', '+')")).toEqual([
      'test.lua:1:12 XRANGE is unbounded: it reads all that is between its ends without COUNT; ' +
        'limit it, or mark it with -- @unbounded <reason>',
    ]);
  });

  test.each([
    "'LRANGE', KEYS[1], 0, 99",
    "'LRANGE', KEYS[1], -100, -1",
    "'LRANGE', KEYS[1], 0, ARGV[1]",
    "'ZRANGE', KEYS[1], 0, 9",
    "'ZRANGE', KEYS[1], '-inf', ARGV[1], 'BYSCORE', 'LIMIT', 0, 100",
    "'ZRANGEBYSCORE', KEYS[1], '-inf', ARGV[1], 'LIMIT', 0, ARGV[2]",
    "'ZREMRANGEBYRANK', KEYS[1], 0, 9",
    "'XRANGE', KEYS[1], '-', '+', 'count', ARGV[1]",
    "'XREADGROUP', 'GROUP', 'g', 'c', 'COUNT', 10, 'STREAMS', KEYS[1], '>'",
    "'XTRIM', KEYS[1], 'MINID', '~', ARGV[1]",
    "'XPENDING', KEYS[1], 'g'",
    "'HSCAN', KEYS[1], 0",
  ])('limited: redis.call(%s)', (args) => {
    expect(problemsIn(`return redis.call(${args})`)).toEqual([]);
  });
});

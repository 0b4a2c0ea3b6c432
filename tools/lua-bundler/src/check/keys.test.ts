import { describe, expect, test } from '@jest/globals';
import { problemsIn } from '../test-support/check.ts';

describe('declared keys', () => {
  test.each([
    ['KEYS by its index', "return redis.call('GET', KEYS[1])"],
    ['KEYS by any index', "for i = 1, #KEYS do redis.call('DEL', KEYS[i], KEYS[i + 1]) end"],
    ['a local', "local key = KEYS[1] return redis.call('GET', key)"],
    ['locals together', "local a, b = KEYS[1], KEYS[2] return redis.call('RENAME', a, b)"],
    ['a local of a local', "local a = KEYS[1] local b = a return redis.call('GET', b)"],
    [
      'a local that is assigned later',
      "local a if ARGV[1] then a = KEYS[1] else a = KEYS[2] end redis.call('DEL', a)",
    ],
    ['one or the other', "local a = ARGV[1] == '1' and KEYS[1] or KEYS[2] redis.call('DEL', a)"],
    ['a loop over KEYS', "for _, key in ipairs(KEYS) do redis.call('DEL', key) end"],
    ['a loop over KEYS by pairs', "for _, key in pairs(KEYS) do redis.call('DEL', key) end"],
    ['some of KEYS', "redis.call('DEL', KEYS[1], unpack(KEYS, 2, #KEYS))"],
    ['an upvalue', "local key = KEYS[1] local function get() return redis.call('GET', key) end return get()"],
    ['a parameter', "local function get(key) return redis.call('GET', key) end return get(KEYS[1])"],
    [
      'the second parameter',
      "local function get(_, key) return redis.call('GET', key) end return get(ARGV[1], KEYS[1])",
    ],
    [
      'a parameter at every call',
      "local function del(k) redis.call('DEL', k) end del(KEYS[1]) local b = KEYS[2] del(b)",
    ],
    [
      'a parameter of a parameter',
      "local function get(k) return redis.call('GET', k) end local function twice(k) return get(k) .. get(k) end twice(KEYS[1])",
    ],
    [
      'a recursive function',
      "local function down(k, n) if n > 0 then redis.call('DEL', k) down(k, n - 1) end end down(KEYS[1], 2)",
    ],
    ['a function in a local', "local get = function(k) return redis.call('GET', k) end return get(KEYS[1])"],
    ['a function that is never called', "local function get(k) return redis.call('GET', k) end"],
    ['only some arguments are keys', "redis.call('HSET', KEYS[1], ARGV[1], ARGV[2])"],
    ['all keys of MSET', "redis.call('MSET', KEYS[1], ARGV[1], KEYS[2], ARGV[2])"],
    ['after STREAMS', "redis.call('XREAD', 'COUNT', 1, 'STREAMS', KEYS[1], KEYS[2], ARGV[1], ARGV[2])"],
    ['after the sub-command', "redis.call('XGROUP', 'CREATE', KEYS[1], ARGV[1], '0', 'MKSTREAM')"],
    ['counted', "redis.call('LMPOP', 2, KEYS[1], KEYS[2], 'LEFT')"],
    ['arguments that are unpacked', "redis.call('XACK', KEYS[1], ARGV[1], unpack(ARGV, 2, 10))"],
  ])('%s', (_, code) => {
    expect(problemsIn(code)).toEqual([]);
  });
});

describe('undeclared keys', () => {
  test.each([
    ['text', "redis.call('GET', 'x')", "'x'", 19, undefined],
    ['built from a key', "redis.call('GET', KEYS[1] .. ':x')", "KEYS[1] .. ':x'", 19, undefined],
    ['an argument', "redis.call('GET', ARGV[1])", 'ARGV[1]', 19, undefined],
    ['a local of something else', "local a = ARGV[1] redis.call('GET', a)", 'ARGV[1]', 37, 11],
    [
      'a local that is sometimes something else',
      "local a = KEYS[1] a = 'x' redis.call('GET', a)",
      "'x'",
      45,
      23,
    ],
    ['a local without a value', "local a redis.call('GET', a)", 'a', 27, 7],
    ['the wrong one of two', "local a, b = KEYS[1], ARGV[1] redis.call('RENAME', a, b)", 'ARGV[1]', 55, 23],
    [
      'what a call returns',
      "local function f() return KEYS[1] end redis.call('GET', f())",
      'f()',
      57,
      undefined,
    ],
    ['what a call returns, in a local', "local a, b = tostring(1) redis.call('GET', b)", 'b', 44, 10],
    ['one or the other', "redis.call('GET', KEYS[1] or 'x')", "'x'", 19, 30],
    ['an index', "for i, key in ipairs(KEYS) do redis.call('GET', i) end", 'i', 49, 5],
    ['a loop over something else', "for _, key in ipairs(ARGV) do redis.call('GET', key) end", 'key', 49, 8],
    ['a counter', "for i = 1, 2 do redis.call('GET', i) end", 'i', 35, 5],
    ['an element of a table', "local t = { KEYS[1] } redis.call('GET', t[1])", 't[1]', 41, undefined],
    ['another variable named KEYS', "local KEYS = {} redis.call('GET', KEYS[1])", 'KEYS[1]', 35, undefined],
    ['the second key', "redis.call('DEL', KEYS[1], 'x')", "'x'", 28, undefined],
    ['unpacked', "redis.call('DEL', unpack(ARGV, 1, 2))", 'unpack(ARGV, 1, 2)', 19, undefined],
    ['every second of MSET', "redis.call('MSET', KEYS[1], ARGV[1], 'x', ARGV[2])", "'x'", 38, undefined],
    ['after STREAMS', "redis.call('XREAD', 'COUNT', 1, 'STREAMS', 'x', '0')", "'x'", 44, undefined],
    ['after the sub-command', "redis.call('XINFO', 'STREAM', 'x')", "'x'", 31, undefined],
    ['the destination', "redis.call('COPY', KEYS[1], 'x')", "'x'", 29, undefined],
    [
      'a parameter at one call',
      "local function g(k) redis.call('GET', k) end g(KEYS[1]) g('x')",
      "'x'",
      39,
      59,
    ],
    ['a parameter that is not given', "local function g(k) redis.call('GET', k) end g()", 'g()', 39, 46],
    [
      'a parameter of what is unpacked',
      "local function g(k) redis.call('GET', k) end g(unpack(ARGV, 1, 1))",
      'unpack(ARGV, 1, 1)',
      39,
      48,
    ],
    [
      'a parameter of a function that is handed on',
      "local function g(k) redis.call('GET', k) end g(KEYS[1]) pcall(g, 'x')",
      'g',
      39,
      63,
    ],
    [
      'a parameter of a function without a name',
      "pcall(function(k) redis.call('GET', k) end, 'x')",
      'k',
      37,
      16,
    ],
    [
      'a parameter of one of two functions',
      "local g = function(k) redis.call('GET', k) end g = function() end g(KEYS[1])",
      'k',
      41,
      20,
    ],
    [
      'self',
      "local t = {} function t:g() redis.call('GET', self) end",
      "function t:g() redis.call('GET', self) end",
      47,
      14,
    ],
    ['varargs', "local function g(...) redis.call('GET', ...) end g(KEYS[1])", '...', 41, undefined],
  ])('%s', (_, code, what, column, origin) => {
    const see = origin === undefined ? '' : ` (see test.lua:1:${origin})`;
    expect(problemsIn(code)).toEqual([
      expect.stringMatching(new RegExp(`^test.lua:1:${column} the key of [A-Z]+ is not declared: `)),
    ]);
    expect(problemsIn(code)[0]).toContain(
      `: \`${what}\` is none of KEYS${see}; declare it, or mark it with -- @key <reason>`,
    );
  });

  test('a marker allows them at the call, at the argument, and where the value comes from', () => {
    const code = "local key = KEYS[1] .. ':x'\nlocal reply = redis.call('HGET',\n  key, 'f')";
    expect(problemsIn(code)).toHaveLength(1);
    const lines = code.split('\n');
    for (const at of [0, 1, 2]) {
      const marked = lines.map((line, place) => (place === at ? `${line} -- @key same slot` : line));
      expect(problemsIn(marked.join('\n'))).toEqual([]);
    }
    expect(problemsIn(`-- @key same slot\n${code}`)).toEqual([]);
  });

  test('a marker at one call of a function does not allow another', () => {
    const code = "local function g(k) redis.call('GET', k) end\ng('a') -- @key of no slot\ng('b')";
    expect(problemsIn(code)).toEqual([expect.stringContaining("`'b'` is none of KEYS (see test.lua:3:3)")]);
  });

  test.each([
    ['no key at all', "redis.call('GET')", 'its key is missing'],
    ['no keys at all', "redis.call('DEL')", 'its keys are missing'],
    [
      'an unknown sub-command',
      "redis.call('XINFO', 'HELP')",
      'its sub-command is none of CONSUMERS, GROUPS, STREAM',
    ],
    [
      'a number of keys that is computed',
      "redis.call('LMPOP', #KEYS, KEYS[1], 'LEFT')",
      'its number of keys is not written out',
    ],
    [
      'a key more than ids',
      "redis.call('XREAD', 'COUNT', 1, 'STREAMS', KEYS[1])",
      'after STREAMS come as many ids as keys',
    ],
    [
      'streams that are unpacked',
      "redis.call('XREAD', 'COUNT', 1, 'STREAMS', unpack(ARGV, 1, 2))",
      'its keys and ids are not written out',
    ],
    [
      'no STREAMS',
      "redis.call('XREAD', 'COUNT', 1, KEYS[1], '0')",
      'there is no STREAMS followed by keys and ids',
    ],
  ])('keys that are not to be seen: %s', (_, code, why) => {
    expect(problemsIn(code)).toEqual([
      expect.stringMatching(`^test.lua:1:1 the keys of [A-Z]+ are not to be seen: ${why}; write them out, `),
    ]);
    expect(problemsIn(`${code} -- @key it is known`)).toEqual([]);
  });
});

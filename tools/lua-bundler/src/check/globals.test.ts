import { describe, expect, test } from '@jest/globals';
import { problemsIn } from '../test-support/check.ts';

describe('globals', () => {
  test.each([
    'local t = cjson.decode(ARGV[1]) return cmsgpack.pack(t)',
    'return struct.pack("i", bit.band(1, 2))',
    'for i, v in ipairs(ARGV) do assert(tonumber(v), tostring(i)) end for k in pairs({}) do error(k) end',
    'return math.floor(1.5), string.format("%d", 1), table.concat({}), type(nil), select("#", 1), next({})',
    'return redis.error_reply("x"), redis.sha1hex(""), pcall(function() end), setmetatable({}, {})',
  ])('what the sandbox has may be read: %s', (code) => {
    expect(problemsIn(code)).toEqual([]);
  });

  test.each([
    ['print(1)', 'print', 1],
    ['local a = 1 return b', 'b', 20],
    ['return os.time()', 'os', 8],
    ['return _G', '_G', 8],
    ['return loadstring("x")', 'loadstring', 8],
    ['do local a = 1 end return a', 'a', 27],
    ['for i = 1, 2 do end return i', 'i', 28],
    ['for i = i, 2 do end', 'i', 9],
    ['local a = a', 'a', 11],
    ['local function f(x) end return x', 'x', 32],
    ['local f = function() return f end', 'f', 29],
    ['while a do local a = 1 end', 'a', 7],
    ['if true then local a = 1 else return a end', 'a', 38],
    ['return { [k] = 1, k = 2 }', 'k', 11],
    ['return ("x"):rep(n)', 'n', 18],
  ])('an unknown one is an error: %s', (code, name, column) => {
    expect(problemsIn(code)).toEqual([
      `test.lua:1:${column} there is no global '${name}' in a script: declare a local`,
    ]);
  });

  test.each([
    'local function f(n) if n > 0 then return f(n - 1) end return n end return f(3)',
    'local a = 1 do local a = a return a end',
    'repeat local done = true until done',
    'for i, v in ipairs(ARGV) do local x = i .. v end',
    'local t = { a = 1 } t.b = t.a t["c"] = 2 function t.f() return t end function t:g() return self end',
    'local f f = function(...) return ... end',
  ])('the scopes are those of Lua: %s', (code) => {
    expect(problemsIn(code)).toEqual([]);
  });

  test.each([
    ['counter = 1', 'counter', 1],
    ['local a a, b = 1, 2', 'b', 12],
    ['function f() end', 'f', 10],
    ['string.trim = function() end', 'string', 1],
    ['function table.size() end', 'table', 10],
    ['redis.call = nil', 'redis', 1],
    ['ARGV[1] = 2', 'ARGV', 1],
    ['KEYS[1] = "x"', 'KEYS', 1],
    ['local t = {} t.x, math.y.z = 1, 2', 'math', 19],
  ])('writing is an error: %s', (code, name, column) => {
    expect(problemsIn(code)).toContain(
      `test.lua:1:${column} '${name}' is global and may not be written: declare a local`,
    );
  });

  test.each([
    ['local keys = KEYS', 14],
    ['return #KEYS, cjson.encode(KEYS)', 28],
    ['local t = { [1] = KEYS }', 19],
    ['local t = {} return t[KEYS]', 23],
    ['table.sort(KEYS)', 12],
    ['local ipairs = function() end ipairs(KEYS)', 38],
  ])('KEYS goes nowhere as a whole: %s', (code, column) => {
    expect(problemsIn(code)).toEqual([
      `test.lua:1:${column} KEYS goes nowhere as a whole: use KEYS[…], #KEYS, ipairs(KEYS) or unpack(KEYS, i, j)`,
    ]);
  });
});

import { createHash } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { useRedis } from '@rs/redis-server/jest';
import fc from 'fast-check';
import { bundle } from './bundle.ts';
import { withIncludes } from './include.ts';
import { parseLua, type LuaFile } from './lua-file.ts';
import { strip } from './strip.ts';
import { script, sourcesOf } from './test-support/sources.ts';

const server = useRedis();

/** Of this test alone: the server may be one that others use too. */
const KEY = 'lua-bundler:strip';

/** What a script answers and writes; or the text of its error, without the hash and the line, which do not stay. */
async function outcomeOf(text: string, args: readonly string[] = []): Promise<unknown> {
  await server().cli('DEL', KEY);
  try {
    const reply = await server().cli('EVAL', text, '1', KEY, ...args);
    return { reply, written: await server().cli('LRANGE', KEY, '0', '-1') };
  } catch (error) {
    return { error: (error as Error).message.replace(/user_script:\d+|script: \w+|[0-9a-f]{40}/g, '') };
  }
}

describe('a stripped script behaves as its source', () => {
  test.each([
    [
      'comments in all forms',
      'local a = 1 -- one\n--[[ two\n lines ]] local b --[==[ ]] ]==] = 2\nreturn { a, b }',
      [1, 2],
    ],
    [
      'strings that look like comments',
      `return { '--', "--[[", [[ -- ]], [==[ ]] -- ]==] }`,
      ['--', '--[[', ' -- ', ' ]] -- '],
    ],
    [
      'strings with escapes',
      `return { 'it\\'s -- \\\\', "\\"--\\"", 'a\\\n  b', '\\65\\066\\0z', '\\n\\t' }`,
      ["it's -- \\", '"--"', 'a\n  b', 'AB\0z', '\n\t'],
    ],
    ['text beyond ASCII', "return { '→ ü', [[ 日本 ]], #'ü' } -- →", ['→ ü', ' 日本 ', 2]],
    ['long strings and their lines', 'return [[\n\n  a  \n\n]] .. [=[b]=]', '\n  a  \n\nb'],
    [
      'minus before minus',
      'local a, b = 7, 2\nreturn { a - -b, a - - -b, - -a, -(-b), 1 - -1 }',
      [9, 5, 7, 2, 2],
    ],
    ['minus before a comment', 'local a = 5 -\n-- one less\n1\nreturn a', 4],
    [
      'dots between numbers',
      "return { 1 .. 2, 1. .. .5, .5 .. '', 0xA .. 1, 1e2 .. '' }",
      ['12', '10.5', '0.5', '101', '100'],
    ],
    ['dots and varargs', "local function f(...) return 'a' .. ... end\nreturn f('b')", 'ab'],
    [
      'brackets in brackets',
      "local t = { ['a'] = { 1, 2 }, [ [[k]] ] = 3 }\nlocal i = { 2 }\nreturn { t['a'][i[1]], t[ [=[k]=] ] }",
      [2, 3],
    ],
    [
      'comparisons side by side',
      'local a = 1\nreturn { a==1 and 1 or 0, a~=1 and 1 or 0, a<= 1 and 1 or 0, 2 >=a and 1 or 0 }',
      [1, 0, 1, 1],
    ],
    [
      'powers, remainders and lengths',
      "return { 2 ^ -1 * 4, -2 ^ 2, 7 % -3, # 'abc', not nil == true and 1 or 0 }",
      [2, -4, -2, 3, 1],
    ],
    ['words and numbers', 'if 1 then local a1 = 0x10 return a1 else return 0 end', 16],
    [
      'statements on one line',
      'local a = 1 local b = a; b = b + 1; do local a = 5 b = b + a end return b',
      7,
    ],
    [
      'methods over several lines',
      "local s = 'a-b'\nlocal r = s\n  :upper()\n  :gsub('-', '--')\nreturn r",
      'A--B',
    ],
    [
      'calls without parentheses',
      "local f = function(x) return x end\nreturn { f 'a', f [[b]], f { 1 } [1], type 'x' }",
      ['a', 'b', 1, 'string'],
    ],
    [
      'a call over several lines',
      'local function f(a, b)\n  return a + b\nend\nreturn f(\n  1, -- one\n  2\n)',
      3,
    ],
    [
      'a parenthesis after a semicolon',
      'local t = {}\nlocal f = tostring;\n(function() t[1] = f(1) end)()\nreturn t',
      ['1'],
    ],
    ['an error', "error({ err = 'MINE -- it' })", undefined],
    ['an error of the language', 'local a\nreturn a.b', undefined],
    ['no Lua at all: a call on the next line', 'local f = tostring\n(f)(1)', undefined],
  ])('%s', async (_, text, reply) => {
    const outcome = await outcomeOf(text);
    if (reply === undefined) expect(outcome).toEqual({ error: expect.any(String) });
    else expect(outcome).toEqual({ reply, written: [] });
    expect(await outcomeOf(strip(text))).toEqual(outcome);
  });

  test('with its includes, commands and arguments', async () => {
    const files = scriptWithIncludes();
    const source = files.map(({ text }) => text).join('\n');
    const stripped = files.map(({ text }) => strip(text)).join('\n');
    expect(stripped).not.toContain('--');
    for (const args of [['3', 'a--b'], ['0', '[[x]]'], ['x', ''], []]) {
      const outcome = await outcomeOf(source, args);
      expect(await outcomeOf(stripped, args)).toEqual(outcome);
    }
    expect(await outcomeOf(source, ['2', '-'])).toEqual({
      reply: ['2', '1', '-1', '2', '-2'],
      written: ['1', '-1', '2', '-2'],
    });
  });

  // Every token apart from its neighbours, so that only the text that was stripped has to tell them apart.
  const GAPS = [' ', '\n', '\t ', ' --[[ ]] ', ' -- it\n', ' --[=[ ]]\n]=] '];
  const { expression } = fc.letrec<{ expression: string[] }>((tie) => ({
    expression: fc.oneof(
      { maxDepth: 4 },
      fc
        .constantFrom('1', '2.', '.5', '0xA', '1e2', "'--'", '[[1]]', '[=[ ]] ]=]', '"\\65"')
        .map((token) => [token]),
      fc
        .tuple(fc.constantFrom('-', 'not', '#'), tie('expression'))
        .map(([operator, of]) => [operator, ...of]),
      fc
        .tuple(
          tie('expression'),
          fc.constantFrom('-', '+', '..', '==', '<=', '~=', 'and', 'or', '^'),
          tie('expression'),
        )
        .map(([left, operator, right]) => [...left, operator, ...right]),
      tie('expression').map((of) => ['{', '[', '[[a]]', ']', '=', ...of, '}']),
    ),
  }));

  test('any expression has the value, or the error, that it had', async () => {
    const program = expression.chain((tokens) =>
      fc.tuple(...tokens.map((token) => fc.constantFrom(...GAPS).map((gap) => token + gap))),
    );
    await fc.assert(
      fc.asyncProperty(program, async (parts) => {
        const text = `local ok, value = pcall(function() return ${parts.join('')} end)
return { tostring(ok), type(value), ok and type(value) ~= 'table' and tostring(value) or '' }`;
        expect(await outcomeOf(strip(text))).toEqual(await outcomeOf(text));
      }),
      { numRuns: 60 },
    );
  });
});

test('a script that runs when Redis is full: it begins with what says so, and all else is as it was', async () => {
  const code =
    "local thing = KEYS[1]\nredis.call('RPUSH', thing, 'a')\nreturn redis.call('LRANGE', thing, 0, 9)";
  const text = script(code).replace('again\n', 'again\n-- Memory     full: goes on, since it is short\n');
  const { problems, scripts } = bundle(sourcesOf({ 'push.lua': text }), 'the command');
  expect(problems).toEqual([]);
  const [{ source = '' } = {}] = scripts;
  expect(source).toBe(`#!lua flags=allow-oom\n${strip(code)}`);
  expect(await outcomeOf(source)).toEqual({ reply: ['a'], written: ['a'] });
  const sha1 = createHash('sha1').update(source).digest('hex');
  expect(await server().cli('SCRIPT', 'LOAD', source)).toBe(sha1);
  expect(await server().cli('EVALSHA', sha1, '1', KEY)).toEqual(['a', 'a']);
  // The line is that of the whole text.
  await expect(server().cli('EVAL', `${source.split('\n')[0] ?? ''}\nreturn 1\nend`, '0')).rejects.toThrow(
    /:3:/,
  );
});

/** Two includes, of which one includes the other, and a script that uses both. */
function scriptWithIncludes(): LuaFile[] {
  const parsed = (path: string, text: string): LuaFile => {
    const file = parseLua(path, text);
    if ('message' in file) throw new Error(file.message);
    return file;
  };
  const includes = new Map([
    ['number', parsed('number.lua', 'local function number(text) -- or nil\n  return tonumber(text)\nend\n')],
    [
      'push',
      parsed(
        'push.lua',
        "-- @include number\n--[[ Pushes. ]]\nlocal function push(key, a, b)\n  redis.call('RPUSH', key, b, a .. b) -- twice\nend",
      ),
    ],
  ]);
  const script = parsed(
    'push-list.lua',
    `-- @include push
-- @include number
local key, text = KEYS[1], ARGV[2]
for i = 1, number(ARGV[1]) do
  push(key, text, -  -i)
end
local all = redis.call('LRANGE', key, 0, 9)
table.insert(all, 1, ARGV[1])
return all`,
  );
  return withIncludes(script, includes, []);
}

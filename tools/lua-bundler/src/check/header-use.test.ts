import { describe, expect, test } from '@jest/globals';
import { problemsOf } from '../test-support/sources.ts';

function problems(fields: readonly string[], code: string): string[] {
  const header = [
    'Does.',
    ...fields,
    'Returns OK',
    'Errors none',
    'Slot one',
    'Complexity O(1)',
    'Resend safe: yes',
  ];
  return problemsOf({ 'do-it.lua': `${header.map((line) => `-- ${line}`).join('\n')}\n${code}` });
}

describe('indexes beyond the header', () => {
  test.each([
    ["redis.call('GET', KEYS[2])", ['KEYS[1] a A'], 19, 'KEYS[2]', 1],
    ["redis.call('GET', KEYS[0])", ['KEYS[1] a A'], 19, 'KEYS[0]', 1],
    ["redis.call('SET', KEYS[1], ARGV[1])", ['KEYS[1] a A'], 28, 'ARGV[1]', 0],
  ])('%s', (code, fields, column, entry, end) => {
    expect(problems(fields, code)).toContain(
      `src/lua/do-it.lua:8:${column} ${entry} is not in the header of src/lua/do-it.lua, which ends at ${end}`,
    );
  });

  test('in an include the header is the one of the script', () => {
    const header = [
      'KEYS[1] a A',
      'Returns OK',
      'Errors none',
      'Slot one',
      'Complexity O(1)',
      'Resend safe: yes',
    ];
    const text = `-- Does.\n${header.map((line) => `-- ${line}\n`).join('')}-- @include get\nget(KEYS[1])`;
    const files = {
      'do-it.lua': text,
      'include/get.lua': "local function get(k)\n  return redis.call('GET', k) .. ARGV[3]\nend",
    };
    expect(problemsOf(files)).toEqual([
      'src/lua/include/get.lua:2:34 ARGV[3] is not in the header of src/lua/do-it.lua, which ends at 0',
    ]);
  });

  test('those of a variadic tail are not', () => {
    expect(problems(['KEYS[1...] all A'], "redis.call('DEL', KEYS[1], KEYS[2], KEYS[12])")).toEqual([]);
  });
});

describe('what is declared and never used', () => {
  const TAIL = ['KEYS[1] a A', 'KEYS[2...] rest R'];

  test('a key', () => {
    expect(problems(['KEYS[1] a A', 'KEYS[2] b B'], "redis.call('GET', KEYS[1])")).toEqual([
      "src/lua/do-it.lua:3:12 KEYS[2] 'b' is never used",
    ]);
  });

  test('an argument', () => {
    expect(problems(['KEYS[1] a A', 'ARGV[1] b text B'], "redis.call('GET', KEYS[1])")).toEqual([
      "src/lua/do-it.lua:3:12 ARGV[1] 'b' is never used",
    ]);
  });

  test('a tail', () => {
    expect(problems(TAIL, "redis.call('GET', KEYS[1])")).toEqual([
      "src/lua/do-it.lua:3:15 KEYS[2] 'rest' is never used",
    ]);
  });

  test('counting them is no use', () => {
    expect(problems(['KEYS[1] a A'], 'return #KEYS')).toEqual([
      "src/lua/do-it.lua:2:12 KEYS[1] 'a' is never used",
    ]);
  });

  test.each([
    "for i = 2, #KEYS do redis.call('DEL', KEYS[i]) end",
    "redis.call('DEL', unpack(KEYS, 2, #KEYS))",
    "redis.call('DEL', KEYS[5])",
  ])('a key before the tail that is used: %s', (code) => {
    expect(problems(TAIL, code)).toEqual(["src/lua/do-it.lua:2:12 KEYS[1] 'a' is never used"]);
  });

  test.each([
    "for i = 1, #KEYS do redis.call('DEL', KEYS[i]) end",
    "local i = 1 redis.call('DEL', KEYS[i])",
    "for _, key in ipairs(KEYS) do redis.call('DEL', key) end",
    "redis.call('DEL', unpack(KEYS, 1, #KEYS))",
  ])('a computed index may be any: %s', (code) => {
    expect(problems(TAIL, code)).toEqual([]);
  });
});

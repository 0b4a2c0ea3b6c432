import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { GENERATED, run } from './run.ts';
import { script } from './test-support/sources.ts';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'rs-lua-bundler-'));
  write('package.json', '{ "name": "@rs/thing" }');
});

afterEach(() => {
  rmSync(folder, { recursive: true });
});

function write(file: string, text: string): void {
  mkdirSync(dirname(join(folder, file)), { recursive: true });
  writeFileSync(join(folder, file), text);
}

function bundler(check = false) {
  const printed = { out: '', err: '' };
  const code = run(
    folder,
    { check },
    { out: (text) => (printed.out += text), err: (text) => (printed.err += text) },
  );
  return { code, ...printed };
}

const GET = script("return redis.call('GET', KEYS[1])");

describe('writing', () => {
  test('writes the module, in the order of the names', () => {
    write('src/lua/b-thing.lua', GET);
    write('src/lua/a-thing.lua', GET);
    write('src/lua/notes.txt', 'no Lua');
    expect(bundler()).toEqual({ code: 0, out: `2 scripts in ${GENERATED}\n`, err: '' });
    const text = readFileSync(join(folder, GENERATED), 'utf8');
    expect(text).toMatch(/^\/\/ Written by `npx nx run @rs\/thing:lua` /);
    expect([...text.matchAll(/name: '(.*)'/g)].map(([, name]) => name)).toEqual(['a-thing', 'b-thing']);
  });

  test('leaves a file alone that is fresh', () => {
    write('src/lua/a-thing.lua', GET);
    bundler();
    const { mtimeMs } = statSync(join(folder, GENERATED));
    expect(bundler()).toEqual({ code: 0, out: `1 script in ${GENERATED}, fresh\n`, err: '' });
    expect(statSync(join(folder, GENERATED)).mtimeMs).toBe(mtimeMs);
  });

  test('tells all that is wrong and writes nothing', () => {
    write('src/lua/b-thing.lua', script('-- @include now\nx = 1'));
    write('src/lua/a-thing.lua', 'return (');
    expect(bundler()).toEqual({
      code: 1,
      out: '',
      err: [
        'src/lua/a-thing.lua:1:1 a script begins with the comment that describes it: what it does, KEYS, ARGV, Returns …',
        "src/lua/a-thing.lua:1:9 <expression> expected near '<eof>'",
        "src/lua/b-thing.lua:3:15 KEYS[1] 'thing' is never used",
        'src/lua/b-thing.lua:9:13 there is no include/now.lua',
        "src/lua/b-thing.lua:10:1 'x' is global and may not be written: declare a local",
        '',
      ].join('\n'),
    });
    expect(existsSync(join(folder, GENERATED))).toBe(false);
  });

  test('a package without scripts is an error', () => {
    expect(bundler()).toMatchObject({
      code: 1,
      err: `error: there are no scripts in src/lua of ${folder}\n`,
    });
  });
});

describe('--check', () => {
  const STALE = `error: ${GENERATED} is not what the scripts say; run 'npx nx run @rs/thing:lua' and check it in\n`;

  test('a fresh file is good', () => {
    write('src/lua/a-thing.lua', GET);
    bundler();
    expect(bundler(true)).toEqual({ code: 0, out: `1 script in ${GENERATED}, fresh\n`, err: '' });
  });

  test('one that was never written is not, and stays so', () => {
    write('src/lua/a-thing.lua', GET);
    expect(bundler(true)).toEqual({ code: 1, out: '', err: STALE });
    expect(existsSync(join(folder, GENERATED))).toBe(false);
  });

  test.each([
    ['code has changed', (): void => write('src/lua/a-thing.lua', GET.replace('GET', 'TTL'))],
    [
      'a contract has changed',
      (): void => write('src/lua/a-thing.lua', GET.replace('Returns    OK', 'Returns    a value')),
    ],
    ['a script has come', (): void => write('src/lua/b-thing.lua', GET)],
    [
      'it was changed by hand',
      (): void => writeFileSync(join(folder, GENERATED), '// by hand\n', { flag: 'a' }),
    ],
  ])('is stale when %s', (_, change) => {
    write('src/lua/a-thing.lua', GET);
    bundler();
    change();
    const before = readFileSync(join(folder, GENERATED), 'utf8');
    expect(bundler(true)).toEqual({ code: 1, out: '', err: STALE });
    expect(readFileSync(join(folder, GENERATED), 'utf8')).toBe(before);
    bundler();
    expect(bundler(true).code).toBe(0);
  });

  test('is stale when an include has changed', () => {
    write('src/lua/a-thing.lua', script('-- @include get\nreturn get(KEYS[1])'));
    write('src/lua/include/get.lua', "local function get(k) return redis.call('GET', k) end");
    bundler();
    write('src/lua/include/get.lua', "local function get(k) return redis.call('TTL', k) end");
    expect(bundler(true).code).toBe(1);
  });

  test('comments and the line ends of a checkout change nothing', () => {
    write('src/lua/a-thing.lua', GET);
    bundler();
    const commented = `${GET.replace('\nreturn', '\n\n-- Gets it.\nreturn')} -- or nil\n`;
    write('src/lua/a-thing.lua', commented.replaceAll('\n', '\r\n'));
    expect(bundler(true).code).toBe(0);
  });
});

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { formatWithOptions } from 'node:util';
import { runInThisContext } from 'node:vm';
import { describe, expect, test } from '@jest/globals';
import * as core from '@rs/core';
import { transformSync } from '@swc/core';
import * as watermark from './index.ts';

const MODULES: ReadonlyMap<string, unknown> = new Map<string, unknown>([
  ['@rs/core', core],
  ['@rs/watermark', watermark],
]);

/** Runs a TypeScript snippet and returns what it printed, one entry per call of `console.log`. */
function run(snippet: string): string[] {
  const { code } = transformSync(snippet, {
    jsc: { parser: { syntax: 'typescript' }, target: 'es2022' },
    module: { type: 'commonjs' },
  });
  const printed: string[] = [];
  const log = (...values: unknown[]) => printed.push(formatWithOptions({ breakLength: Infinity }, ...values));
  const load = (name: string) => {
    if (!MODULES.has(name)) throw new Error(`the README may not import ${name}`);
    return MODULES.get(name);
  };
  const compiled = runInThisContext(`(require, exports, console) => {${code}\n}`) as (
    require: (name: string) => unknown,
    exports: object,
    console: { log: (...values: unknown[]) => void },
  ) => void;
  compiled(load, {}, { log });
  return printed;
}

describe('README', () => {
  const readme = readFileSync(join(__dirname, '../README.md'), 'utf8');
  const snippets = [...readme.matchAll(/^```ts\n(.*?)^```/gms)].map((match) => match[1] ?? '');

  test('has snippets', () => {
    expect(snippets.length).toBeGreaterThan(0);
  });

  test.each(snippets.map((snippet, i) => [i + 1, snippet] as const))(
    'snippet %d prints what its comments say',
    (_number, snippet) => {
      const promised = [...snippet.matchAll(/\/\/ → (.*)$/gm)].map((match) => match[1]);
      expect(run(snippet)).toEqual(promised);
    },
  );
});

import { readFileSync } from 'node:fs';
import { runInNewContext } from 'node:vm';
import * as core from '@rs/core';
import { describe, expect, test } from '@jest/globals';
import { transformSync } from '@swc/core';
import * as window from './index.ts';

const MODULES: Readonly<Record<string, unknown>> = { '@rs/core': core, '@rs/window': window };

/** The TypeScript blocks of the README. */
function snippets(): string[] {
  const readme = readFileSync('README.md', 'utf8');
  return [...readme.matchAll(/^```ts\n(.*?)^```$/gms)].map((match) => match[1] ?? '');
}

/** Runs a snippet and returns the lines it logs. */
function run(snippet: string): string[] {
  const { code } = transformSync(snippet, {
    jsc: { parser: { syntax: 'typescript' }, target: 'es2022' },
    module: { type: 'commonjs' },
  });
  const lines: string[] = [];
  const require = (name: string): unknown => {
    if (name in MODULES) return MODULES[name];
    throw new Error(`a snippet may only import ${Object.keys(MODULES).join(' and ')}, not ${name}`);
  };
  const console = { log: (...values: unknown[]) => void lines.push(values.map(String).join(' ')) };
  runInNewContext(code, { require, console, exports: {} });
  return lines;
}

describe('README.md', () => {
  const blocks = snippets();

  test('has snippets', () => {
    expect(blocks.length).toBeGreaterThan(5);
  });

  test.each(blocks.map((block, i) => [i + 1, block] as const))(
    'snippet %d logs what its `// →` comments say',
    (_number, block) => {
      const expected = [...block.matchAll(/\/\/ → (.*)$/gm)].map((match) => match[1]);
      expect(run(block)).toEqual(expected);
    },
  );
});

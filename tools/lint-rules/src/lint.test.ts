import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from '@jest/globals';
import type { Fixture } from './lint-fixtures.ts';

const WORKSPACE = join(__dirname, '../../..');

/** A fixture and the one rule it breaks; `null` when it must pass. */
type Case = Fixture & { readonly name: string; readonly breaks: string | null };

const CORE = 'packages/core/src/fixture.ts';
const CORE_TEST = 'packages/core/src/fixture.test.ts';
const TOOL = 'tools/ci/src/fixture.ts';
const TYPED = 'packages/core/src/names.ts';

const BOUNDARIES = '@nx/enforce-module-boundaries';
const importOf = (name: string): string => `import '${name}';\n`;
const manifest = (name: string, edit: (text: string) => string): Fixture => {
  const file = `packages/${name}/package.json`;
  return { file, text: edit(readFileSync(join(WORKSPACE, file), 'utf8')) };
};

const boundaries: Case[] = [
  { name: 'core imports the kernel', file: CORE, text: importOf('@rs/runtime'), breaks: BOUNDARIES },
  { name: 'core imports an npm package', file: CORE, text: importOf('fast-check'), breaks: BOUNDARIES },
  { name: 'core imports a Node module', file: CORE, text: importOf('node:util'), breaks: null },
  {
    name: 'a test of core uses the test libraries',
    file: CORE_TEST,
    text: importOf('fast-check'),
    breaks: null,
  },
  { name: 'a test of core uses a tool', file: CORE_TEST, text: importOf('@rs/doc-snippets'), breaks: null },
  { name: 'core uses a tool', file: CORE, text: importOf('@rs/doc-snippets'), breaks: BOUNDARIES },
  {
    name: 'a test of core imports an engine',
    file: CORE_TEST,
    text: importOf('@rs/runtime-memory'),
    breaks: BOUNDARIES,
  },
  {
    name: 'a package is reached by path',
    file: CORE,
    text: importOf('../../runtime/src/index.ts'),
    breaks: BOUNDARIES,
  },
  {
    name: 'watermark imports core',
    file: 'packages/watermark/src/fixture.ts',
    text: importOf('@rs/core'),
    breaks: null,
  },
  {
    name: 'watermark imports window',
    file: 'packages/watermark/src/fixture.ts',
    text: importOf('@rs/window'),
    breaks: BOUNDARIES,
  },
  {
    name: 'window imports the kernel',
    file: 'packages/window/src/fixture.ts',
    text: importOf('@rs/runtime'),
    breaks: BOUNDARIES,
  },
  {
    name: 'the kernel imports window',
    file: 'packages/runtime/src/fixture.ts',
    text: importOf('@rs/window'),
    breaks: null,
  },
  {
    name: 'the kernel imports an engine',
    file: 'packages/runtime/src/fixture.ts',
    text: importOf('@rs/runtime-memory'),
    breaks: BOUNDARIES,
  },
  {
    name: 'an engine imports the kernel',
    file: 'packages/runtime-memory/src/fixture.ts',
    text: importOf('@rs/runtime'),
    breaks: null,
  },
  {
    name: 'an engine imports window, which is not in its row of the table',
    file: 'packages/runtime-memory/src/fixture.ts',
    text: importOf('@rs/window'),
    breaks: BOUNDARIES,
  },
  {
    name: 'a test of an engine imports window',
    file: 'packages/runtime-memory/src/fixture.test.ts',
    text: importOf('@rs/window'),
    breaks: null,
  },
  {
    name: 'an example imports an engine',
    file: 'examples/flights/src/fixture.ts',
    text: importOf('@rs/runtime-memory'),
    breaks: null,
  },
  { name: 'a tool imports a tool', file: TOOL, text: importOf('@rs/lint-rules'), breaks: null },
  { name: 'a tool imports the product', file: TOOL, text: importOf('@rs/core'), breaks: BOUNDARIES },
];

const dependencies: Case[] = [
  {
    name: 'core depends on nothing',
    ...manifest('core', (text) => text),
    breaks: null,
  },
  {
    name: 'core lists a package it does not use',
    ...manifest('core', (text) =>
      text.replace('"dependencies": {', '"dependencies": { "fast-check": "4.11.0"'),
    ),
    breaks: '@nx/dependency-checks',
  },
  {
    name: 'watermark does not list core',
    ...manifest('watermark', (text) => text.replace('"@rs/core": "^0.1.0"', '')),
    breaks: '@nx/dependency-checks',
  },
];

const forbidden: [rule: string, file: string, texts: string[]][] = [
  [
    'rs/no-ambient-time',
    CORE,
    [
      'export const at = Date.now();',
      'export const read = Date.now;',
      "export const at = Date['now']();",
      'export const at = globalThis.Date.now();',
      'const { now } = Date;\nexport const at = now();',
      'export const at = new Date();',
      'export const at = Date();',
      'export const at = performance.now();',
      'export const at = globalThis.performance.now();',
      'export const at = process.hrtime.bigint();',
      'export const dice = Math.random();',
    ],
  ],
  ['rs/no-ambient-time', CORE_TEST, ['export const at = Date.now();']],
  ['rs/no-ambient-time', TOOL, ['export const at = Date.now();']],
  ['rs/no-double-assertion', CORE, ['export const n = "1" as unknown as number;']],
  ['rs/no-export-star', CORE, ["export * from './names.ts';", "export * as names from './names.ts';"]],
  [
    'rs/no-default-export',
    CORE,
    [
      'export default 1;',
      'const a = 1;\nexport { a as default };',
      'export default interface A {\n  a: 1;\n}',
    ],
  ],
  [
    'rs/no-bare-error',
    CORE,
    ["throw new Error('no');", "throw Error('no');", "export const failure = new TypeError('no');"],
  ],
  ['no-console', CORE, ["console.log('hello');"]],
  [
    'rs/no-unfinished-test',
    CORE_TEST,
    [
      "test.only('a', () => {});",
      "describe.skip('a', () => {});",
      "it.only.each([1])('a', () => {});",
      "test.concurrent.only('a', async () => {});",
      "test.todo('a');",
      "xit('a', () => {});",
      "fdescribe('a', () => {});",
    ].map((text) => `import { describe, it, test, xit, fdescribe } from '@jest/globals';\n${text}\n`),
  ],
  ['max-lines', CORE, ['\n'.repeat(600) + 'export const a = 1;\n']],
  ['@typescript-eslint/no-explicit-any', CORE, ['export type A = any;']],
  ['@typescript-eslint/no-non-null-assertion', CORE, ['export const f = (a?: number) => a!;']],
  ['eqeqeq', CORE, ['export const f = (a: number) => a == 1;']],
];

const allowed: [what: string, file: string, text: string][] = [
  [
    'the system clock reads the clock',
    'packages/core/src/time/clock.ts',
    'export const now = () => Date.now();',
  ],
  [
    'the system’s randomness rolls dice',
    'packages/runtime/src/random.ts',
    'export const dice = () => Math.random();',
  ],
  ['a benchmark reads the clock', 'benchmarks/operators/src/main.ts', 'export const at = performance.now();'],
  ['a test of a tool reads the clock', 'tools/ci/src/fixture.test.ts', 'export const at = Date.now();'],
  ['a date of a given time', CORE, 'export const text = (at: number) => new Date(at).toISOString();'],
  [
    'names that only look like the clock',
    CORE,
    'export const at = (clock: { now(): number }) => clock.now();',
  ],
  ['a single assertion', CORE, 'export const parse = (text: string) => JSON.parse(text) as unknown;'],
  ['a const assertion', CORE, "export const kinds = ['a', 'b'] as const;"],
  ['exports by name', CORE, "export { checkName } from './names.ts';"],
  ['a default export of a config file', 'packages/core/tsdown.config.ts', 'export default {};'],
  ['an Error in a test', CORE_TEST, "export const failure = new Error('from user code');"],
  ['an Error in an example', 'examples/flights/src/fixture.ts', "export const failure = new Error('no');"],
  ['console in an example', 'examples/flights/src/fixture.ts', "console.log('hello');"],
  [
    'a table test',
    CORE_TEST,
    "import { test } from '@jest/globals';\ntest.each([1])('a %i', () => undefined);",
  ],
  ['600 lines', CORE, '\n'.repeat(599) + 'export const a = 1;'],
  ['a long generated file', 'packages/core/src/x.generated.ts', '\n'.repeat(700) + 'export const a = 1;'],
];

const typed: Case[] = (
  [
    ['a promise nobody waits for', 'Promise.resolve(1);', '@typescript-eslint/no-floating-promises'],
    [
      'a promise as a condition',
      'export const f = (p: Promise<boolean>) => (p ? 1 : 2);',
      '@typescript-eslint/no-misused-promises',
    ],
    [
      'an async callback where nobody waits',
      'export const f = (run: (callback: () => void) => void) => run(async () => Promise.resolve());',
      '@typescript-eslint/no-misused-promises',
    ],
    [
      'a switch that forgets a member',
      "export const f = (a: 'x' | 'y') => {\n  switch (a) {\n    case 'x':\n      return 1;\n  }\n  return 2;\n};",
      '@typescript-eslint/switch-exhaustiveness-check',
    ],
    [
      'a type imported as a value',
      "import { RsError } from './errors/rs-error.ts';\nexport type A = RsError;",
      '@typescript-eslint/consistent-type-imports',
    ],
    ['code that keeps all rules', 'export const f = async (p: Promise<number>) => (await p) + 1;', null],
  ] as const
).map(([name, text, breaks]) => ({ name, text, breaks, file: TYPED, typed: true }));

const groups: Record<string, Case[]> = {
  'imports between packages': boundaries,
  'dependencies of package.json': dependencies,
  'forbidden syntax': forbidden.flatMap(([breaks, file, texts]) =>
    texts.map((text) => ({ name: `${file}: ${text.trim().slice(-60)}`, file, text, breaks })),
  ),
  'allowed syntax': allowed.map(([name, file, text]) => ({ name, file, text, breaks: null })),
  'rules that need types': typed,
};

describe('the lint configuration of the workspace', () => {
  let broken = new Map<Case, string[]>();

  beforeAll(() => {
    const cases = Object.values(groups).flat();
    const output = execFileSync(
      process.execPath,
      ['--import', 'tsx', join(__dirname, 'lint-fixtures.main.ts')],
      {
        cwd: WORKSPACE,
        input: JSON.stringify(cases),
        encoding: 'utf8',
        env: { ...process.env, NX_DAEMON: 'false' },
      },
    );
    const results = JSON.parse(output) as string[][];
    broken = new Map(cases.map((fixture, index) => [fixture, results[index] ?? []]));
  }, 60_000);

  describe.each(Object.entries(groups))('%s', (_, cases) => {
    test.each(cases)('$name → $breaks', (fixture) => {
      expect(broken.get(fixture)).toEqual(fixture.breaks === null ? [] : [fixture.breaks]);
    });
  });
});

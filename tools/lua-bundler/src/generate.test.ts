import { createHash } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import ts from 'typescript';
import { bundle } from './bundle.ts';
import { compileErrors } from './test-support/compile.ts';
import { sourcesOf } from './test-support/sources.ts';

const HEAD = `-- Returns    OK, or \`FENCED\`
--            when @somebody else owns it */
-- Errors     none
-- Slot       the partition
-- Complexity O(n)`;

const MODULE = bundle(
  sourcesOf({
    'move-due.lua': `-- Moves what is due.
--
-- KEYS[1]    due   what waits
-- KEYS[2]    \
lease the lease
-- KEYS[3...] lanes where it goes
-- ARGV[1]    token text    the owner's token
-- ARGV[2]    count integer at most
-- ARGV[3]    body  bytes   what is written
-- ARGV[4]    extra any     whatever
-- ARGV[5...] ids   bytes   which
${HEAD}
-- Resend     safe: yes
local text = "\\\\ \\n \\" \${x} \`"
return { KEYS[1], KEYS[2], KEYS[3], ARGV[1], ARGV[2], ARGV[3], ARGV[4], ARGV[5], text }
`,
    'renew.lua': `-- Renews.\n-- KEYS[1...] leases all of them\n${HEAD}\n-- Resend     unsafe: no\nreturn KEYS[1]`,
  }),
  'npx nx run @rs/thing:lua',
);

interface Generated {
  readonly [name: string]: unknown;
}

/** What the module exports when it runs; its imports are only types. */
function exportsOf(text: string): Generated {
  const { outputText } = ts.transpileModule(text, { compilerOptions: { module: ts.ModuleKind.CommonJS } });
  const module = { exports: {} as Generated };
  // eslint-disable-next-line @typescript-eslint/no-implied-eval, @typescript-eslint/no-unsafe-call
  new Function('module', 'exports', outputText)(module, module.exports);
  return module.exports;
}

function functionOf(exported: Generated, name: string): (call: object) => unknown {
  const found = exported[name];
  if (typeof found !== 'function') throw new Error(`${name} is no function`);
  return found as (call: object) => unknown;
}

describe('the generated module', () => {
  const exported = exportsOf(MODULE.module);

  test('has no problems and is what it was', () => {
    expect(MODULE.problems).toEqual([]);
    expect(MODULE.module).toMatchSnapshot();
  });

  test('exports every script by name, and all of them', () => {
    expect(Object.keys(exported).sort()).toEqual(
      [
        'SCRIPTS',
        'moveDue',
        'moveDueKeyCount',
        'moveDueScript',
        'renew',
        'renewKeyCount',
        'renewScript',
      ].sort(),
    );
    expect(exported).toMatchObject({ moveDueKeyCount: 2, renewKeyCount: 0 });
    expect(exported['SCRIPTS']).toEqual([exported['moveDueScript'], exported['renewScript']]);
  });

  test('has the source as it is, and its SHA-1', () => {
    const [{ source = '' } = {}] = MODULE.scripts;
    expect(source).toContain('local text="\\\\ \\n \\" ${x} `"');
    expect(exported['moveDueScript']).toEqual({
      name: 'move-due',
      source,
      sha1: createHash('sha1').update(source).digest('hex'),
      resendable: true,
    });
    expect(exported['renewScript']).toMatchObject({ resendable: false });
  });

  test('puts keys and arguments where the script looks for them', () => {
    const call = functionOf(
      exported,
      'moveDue',
    )({
      keys: { lanes: ['l1', 'l2'], due: 'd', lease: 'le' },
      args: { ids: ['i1', 'i2'], token: 't', count: 3, body: 'b', extra: 4 },
    });
    expect(call).toEqual({
      script: exported['moveDueScript'],
      keys: ['d', 'le', 'l1', 'l2'],
      args: ['t', 3, 'b', 4, 'i1', 'i2'],
    });
    expect(functionOf(exported, 'renew')({ keys: { leases: ['a'] } })).toEqual({
      script: exported['renewScript'],
      keys: ['a'],
      args: [],
    });
  });
});

test('its types take what the header says, and nothing else', () => {
  const keys = "{ due: 'd', lease: 'l', lanes: [] }";
  const args = "{ token: 't', count: 1, body: new Uint8Array(), extra: 1, ids: ['a', new Uint8Array()] }";
  const refused = [
    `moveDue({ keys: { due: 'd', lanes: [] }, args: ${args} });`,
    `moveDue({ keys: { due: 'd', lease: 'l' }, args: ${args} });`,
    `moveDue({ keys: ${keys} });`,
    `moveDue({ keys: ${keys}, args: ${args.replace("'t'", '1')} });`,
    `moveDue({ keys: ${keys}, args: ${args.replace('count: 1', "count: '1'")} });`,
    `moveDue({ keys: ${keys}, args: ${args.replace('new Uint8Array(),', '1,')} });`,
    `renew({ keys: { leases: [], due: 'd' } });`,
    `renew({ keys: { leases: ['a'] }, args: {} });`,
  ];
  const usage = `
    import type { Script, ScriptCall } from '@rs/redis';
    import { moveDue, renew, SCRIPTS } from './scripts.generated.ts';
    export const call: ScriptCall = moveDue({ keys: ${keys}, args: ${args} });
    export const other: ScriptCall = renew({ keys: { leases: ['a'] as readonly string[] } });
    export const all: readonly Script[] = SCRIPTS;
    ${refused.map((code) => `// @ts-expect-error refused\n${code}`).join('\n')}`;
  expect(compileErrors({ 'scripts.generated.ts': MODULE.module, 'usage.ts': usage })).toEqual([]);
});

test('only types that are used are imported', () => {
  const { module } = bundle(
    sourcesOf({ 'renew.lua': `-- Renews.\n-- KEYS[1] a b\n${HEAD}\n-- Resend safe: x\nreturn KEYS[1]` }),
    'x',
  );
  expect(module).toContain("import type { Script, ScriptCall } from '@rs/redis';");
  expect(compileErrors({ 'scripts.generated.ts': module })).toEqual([]);
});

import type { Identifier } from 'luaparse';
import { isGlobal, usesOf, type Program } from '../program/program.ts';
import type { CheckContext } from './check.ts';

/** What Redis gives to scripts and what is the same on every server. Time comes from the command TIME. */
const GLOBALS: ReadonlySet<string> = new Set(
  `KEYS ARGV redis cjson cmsgpack struct bit string table math assert error getmetatable ipairs next pairs pcall
  rawequal rawget select setmetatable tonumber tostring type unpack xpcall`.split(/\s+/),
);

/** Functions of Lua that are given KEYS itself and only read it. */
const READERS_OF_KEYS = ['ipairs', 'pairs', 'unpack'] as const;

/** Globals are read, never written, and only known ones; KEYS never gets another name. */
export function checkGlobals({ program, report }: CheckContext): void {
  const { names, tree } = program;
  for (const { node, written } of names.globals) {
    const at = tree.positionOf(node);
    if (written) report(at, `'${node.name}' is global and may not be written: declare a local`);
    else if (!GLOBALS.has(node.name))
      report(at, `there is no global '${node.name}' in a script: declare a local`);
  }
  for (const use of usesOf(program, 'KEYS')) {
    if (!isReadOfKeys(program, use)) {
      report(
        tree.positionOf(use),
        'KEYS goes nowhere as a whole: use KEYS[…], #KEYS, ipairs(KEYS) or unpack(KEYS, i, j)',
      );
    }
  }
}

function isReadOfKeys(program: Program, use: Identifier): boolean {
  const { tree } = program;
  const parent = tree.parentOf(use);
  if (parent?.type === 'IndexExpression') return parent.base === use;
  if (parent?.type === 'UnaryExpression') return parent.operator === '#';
  if (parent?.type !== 'CallExpression' || parent.arguments[0] !== use) return false;
  return READERS_OF_KEYS.some((name) => isGlobal(program, parent.base, name));
}

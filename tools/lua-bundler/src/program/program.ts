import type { CallExpression, Expression, Identifier, Node } from 'luaparse';
import type { LuaFile } from '../lua-file.ts';
import type { Names } from './names.ts';
import { resolveNames } from './resolve.ts';
import { Tree } from './tree.ts';

/** A script with its includes, ready to be asked about. */
export interface Program {
  readonly tree: Tree;
  readonly names: Names;
}

/** @param files includes first, the script last */
export function programOf(files: readonly LuaFile[]): Program {
  return { tree: new Tree(files), names: resolveNames(files.map(({ chunk }) => chunk)) };
}

/** The uses of one global, unless a local of that name hides it. */
export function usesOf({ names }: Program, name: string): Identifier[] {
  return names.globals.filter(({ node }) => node.name === name).map(({ node }) => node);
}

/** Whether an expression is this global. */
export function isGlobal({ names }: Program, node: Node | undefined, name: string): node is Identifier {
  return node?.type === 'Identifier' && node.name === name && names.localOf(node) === undefined;
}

/** The call of which `node` is the function: `node(…)`. */
export function callOf({ tree }: Program, node: Expression): CallExpression | undefined {
  const parent = tree.parentOf(node);
  return parent?.type === 'CallExpression' && parent.base === node ? parent : undefined;
}

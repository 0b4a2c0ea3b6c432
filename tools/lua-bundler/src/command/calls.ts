import type { Expression, Node } from 'luaparse';
import type { Local } from '../program/names.ts';
import { usesOf, type Program } from '../program/program.ts';

/** A call of `redis.call` or `redis.pcall`, also by the name of a local that is one of them. */
export interface CommandCall {
  readonly node: Node;
  /** What it is given: the name of the command and its arguments. */
  readonly args: readonly Expression[];
}

export interface CommandCalls {
  readonly calls: readonly CommandCall[];
  /** Places where `redis`, `redis.call` or `redis.pcall` is used as a value, so that its calls are out of sight. */
  readonly hidden: readonly Node[];
}

export function commandCalls(program: Program): CommandCalls {
  const calls: CommandCall[] = [];
  const hidden: Node[] = [];

  function addUse(callee: Expression): void {
    const call = callAt(program, callee);
    if (call !== undefined) {
      calls.push(call);
      return;
    }
    const alias = aliasFor(program, callee);
    if (alias === undefined) hidden.push(callee);
    else for (const read of alias.reads) addUse(read);
  }

  for (const use of usesOf(program, 'redis')) {
    const member = program.tree.parentOf(use);
    if (member?.type !== 'MemberExpression' || member.indexer !== '.') hidden.push(use);
    else if (['call', 'pcall'].includes(member.identifier.name)) addUse(member);
  }
  return { calls, hidden };
}

function callAt({ tree }: Program, callee: Expression): CommandCall | undefined {
  const node = tree.parentOf(callee);
  switch (node?.type) {
    case 'CallExpression':
      return node.base === callee ? { node, args: node.arguments } : undefined;
    case 'StringCallExpression':
      return { node, args: [node.argument] };
    case 'TableCallExpression':
      return node.base === callee ? { node, args: [node.arguments] } : undefined;
    default:
      return undefined;
  }
}

/** `call` of `local call = redis.call`, as long as it is never anything else. */
function aliasFor({ names }: Program, callee: Expression): Local | undefined {
  return names.locals.find(({ sources }) => {
    const [source, ...others] = sources;
    return source?.kind === 'value' && source.node === callee && others.length === 0;
  });
}

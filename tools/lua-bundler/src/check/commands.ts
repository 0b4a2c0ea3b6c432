import type { Expression, Node } from 'luaparse';
import { commandCalls, type CommandCall } from '../command/calls.ts';
import { COMMANDS, REFUSED, type Command } from '../command/table.ts';
import { literalText } from '../program/literal.ts';
import type { CheckContext } from './check.ts';
import { undeclaredSources } from './key-flow.ts';

const MARK_KEY = 'or mark it with -- @key <reason>';

/** Every command is a known one, has a limit, and its keys are declared. */
export function checkCommands(context: CheckContext): void {
  const { program, report } = context;
  const { calls, hidden } = commandCalls(program);
  for (const node of hidden) {
    const message =
      'redis.call and redis.pcall are only called, also as a local: else their commands are out of sight';
    report(program.tree.positionOf(node), message);
  }
  for (const call of calls) checkCall(context, call);
}

function checkCall(context: CheckContext, { node, args }: CommandCall): void {
  const { program, markers, report } = context;
  const [first, ...rest] = args;
  const start = program.tree.positionOf(node);
  const at = first === undefined ? start : program.tree.positionOf(first);
  const name = literalText(first)?.toUpperCase();
  if (name === undefined) {
    report(at, 'the name of the command must be written out, as a plain string');
    return;
  }
  const advice = REFUSED.get(name);
  const command = COMMANDS.get(name);
  if (advice !== undefined) report(at, `${name} may not be used: ${advice}`);
  else if (command === undefined)
    report(at, `${name} is not in the table of commands (tools/lua-bundler/src/command/table.ts)`);
  if (command === undefined) return;

  const unbounded = command.bound?.(rest);
  if (unbounded !== undefined && !markers.allow('unbounded', start, at)) {
    report(at, `${name} is unbounded: ${unbounded}; limit it, or mark it with -- @unbounded <reason>`);
  }
  checkKeys(context, command, name, node, rest);
}

function checkKeys(
  context: CheckContext,
  command: Command,
  name: string,
  call: Node,
  args: readonly Expression[],
): void {
  const { program, markers, report } = context;
  const { tree } = program;
  const start = tree.positionOf(call);
  const found = command.keys(args);
  if ('unclear' in found) {
    if (!markers.allow('key', start))
      report(start, `the keys of ${name} are not to be seen: ${found.unclear}; write them out, ${MARK_KEY}`);
    return;
  }
  for (const key of found.keys) {
    const at = tree.positionOf(key);
    const undeclared = undeclaredSources(program, key);
    if (undeclared.length === 0 || markers.allow('key', start, at)) continue;
    const [source] = undeclared.filter((node) => !markers.allow('key', tree.positionOf(node)));
    if (source === undefined) continue;
    const { file, line, column } = tree.positionOf(source);
    const origin = source === key ? '' : ` (see ${file}:${line}:${column})`;
    report(
      at,
      `the key of ${name} is not declared: \`${tree.textOf(source)}\` is none of KEYS${origin}; declare it, ${MARK_KEY}`,
    );
  }
}

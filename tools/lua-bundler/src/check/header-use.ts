import type { Expression, Identifier } from 'luaparse';
import type { FieldList, Header, KeyField } from '../header/header.ts';
import { literalInteger } from '../program/literal.ts';
import { usesOf, type Program } from '../program/program.ts';
import type { CheckContext } from './check.ts';

/** KEYS and ARGV are used as the header declares them, and all of them are used. */
export function checkHeaderUse(context: CheckContext, header: Header): void {
  checkUse(context, 'KEYS', header.keys);
  checkUse(context, 'ARGV', header.args);
}

function checkUse(
  { program, report }: CheckContext,
  list: 'KEYS' | 'ARGV',
  fields: FieldList<KeyField>,
): void {
  const { tree } = program;
  const declared = fields.fixed.length;
  const total = declared + (fields.tail === undefined ? 0 : 1);
  const used = new Set<number>();
  for (const use of usesOf(program, list)) {
    for (const [from, to] of usedIndexes(program, use)) {
      if (from === to && (from < 1 || (from > declared && fields.tail === undefined))) {
        const script = tree.files.at(-1)?.path ?? '';
        report(
          tree.positionOf(use),
          `${list}[${from}] is not in the header of ${script}, which ends at ${declared}`,
        );
      }
      for (let index = Math.max(from, 1); index <= Math.min(to, total); index += 1) used.add(index);
      // Whatever is beyond the fixed ones is of the tail.
      if (to > total) used.add(total);
    }
  }
  for (const [at, field] of [...fields.fixed, fields.tail].entries()) {
    if (field !== undefined && !used.has(at + 1)) {
      report(field.at, `${list}[${at + 1}] '${field.name}' is never used`);
    }
  }
}

/** The indexes that one use may read, as ranges. */
function usedIndexes(program: Program, use: Identifier): [from: number, to: number][] {
  const parent = program.tree.parentOf(use);
  if (parent?.type === 'UnaryExpression') return [];
  if (parent?.type === 'IndexExpression' && parent.base === use) {
    const index = literalInteger(parent.index);
    return [index === undefined ? [firstIndex(program, parent.index), Infinity] : [index, index]];
  }
  if (
    parent?.type === 'CallExpression' &&
    parent.base.type === 'Identifier' &&
    parent.base.name === 'unpack'
  ) {
    const [, from, to] = parent.arguments;
    return [[from === undefined ? 1 : firstIndex(program, from), literalInteger(to) ?? Infinity]];
  }
  return [[1, Infinity]];
}

/** The lowest value an index can have as far as the code shows it. */
function firstIndex({ names }: Program, index: Expression): number {
  const written = literalInteger(index);
  if (written !== undefined) return written;
  if (index.type !== 'Identifier') return 1;
  const [source, ...others] = names.localOf(index)?.sources ?? [];
  if (source?.kind !== 'counter' || others.length > 0) return 1;
  return literalInteger(source.start) ?? 1;
}

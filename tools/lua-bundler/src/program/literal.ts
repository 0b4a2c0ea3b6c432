import type { Expression } from 'luaparse';

/** The text of a plain string or number that is written out, `undefined` for everything else. */
export function literalText(node: Expression | undefined): string | undefined {
  if (node?.type === 'StringLiteral') return /^(['"])([^\\]*)\1$/.exec(node.raw)?.[2];
  if (node?.type === 'NumericLiteral') return node.raw;
  if (node?.type === 'UnaryExpression' && node.operator === '-') {
    const text = literalText(node.argument);
    return text === undefined ? undefined : `-${text}`;
  }
  return undefined;
}

/** The integer that is written out, `undefined` for everything else. */
export function literalInteger(node: Expression | undefined): number | undefined {
  const text = literalText(node);
  return text !== undefined && /^-?\d+$/.test(text) ? Number(text) : undefined;
}

import type { Token } from 'luaparse';
import { TOKEN_TYPE, tokensOf } from './lua-file.ts';

/**
 * The text without comments and blank space. Its tokens are those of `text`, untouched, and each starts a line when it
 * started one there: so nothing is renamed, a call never moves to another line than its function (Lua 5.1 refuses that
 * as ambiguous), and a change of one line is a change of one line.
 *
 * @throws SyntaxError when `text` cannot be cut into tokens
 */
export function strip(text: string): string {
  let stripped = '';
  let before: Token | undefined;
  for (const token of tokensOf(text)) {
    const raw = text.slice(...token.range);
    if (before !== undefined) stripped += separator(text, before, token, stripped, raw);
    stripped += raw;
    before = token;
  }
  return stripped;
}

function separator(text: string, before: Token, token: Token, left: string, right: string): string {
  if (text.slice(before.range[1], token.range[0]).includes('\n')) return '\n';
  const longerNumber = before.type === TOKEN_TYPE.number && /^[\w.]/.test(right);
  return longerNumber || JOINED.test(left.slice(-1) + right.slice(0, 1)) ? ' ' : '';
}

/** The last character of a token and the first of the next, where both would be read as one or as a comment. */
const JOINED = /^(?:\w\w|\.[.\d]|--|[=<>~]=|\[[[=])$/;

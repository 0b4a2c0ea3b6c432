import luaparse from 'luaparse';
import type { Chunk, Comment, Node, Token } from 'luaparse';
import type { Position, Problem } from './problem.ts';

/** The Lua of every Redis and Valkey. */
const LUA = { luaVersion: '5.1', locations: true, ranges: true } as const;
/** Those types of tokens that anybody asks for, as the parser numbers them. */
export const TOKEN_TYPE = { endOfFile: 1, number: 16 } as const;

/** One file of Lua, parsed. */
export interface LuaFile {
  readonly path: string;
  readonly text: string;
  readonly chunk: Chunk;
  readonly comments: readonly Comment[];
  /** Without comments; they carry the lines they stand on. */
  readonly tokens: readonly Token[];
}

/** @returns the file; or its syntax error, of which the parser finds one at a time */
export function parseLua(path: string, text: string): LuaFile | Problem {
  try {
    const tokens = tokensOf(text);
    const malformed = malformedNumber(path, text, tokens);
    if (malformed !== undefined) return malformed;
    const chunk = luaparse.parse(text, LUA);
    return { path, text, chunk, comments: chunk.comments ?? [], tokens };
  } catch (error) {
    if (!isSyntaxError(error)) throw error;
    const message = error.message.replace(/^\[\d+:\d+\] /, '');
    return { ...positionAt(path, text, errorIndex(text, error.index, message)), message };
  }
}

/**
 * Where an error is. The columns of the parser count from 0 for some errors and from 1 for others, so its index is taken.
 * That one has gone on behind a call on the wrong line and a string without an end.
 */
function errorIndex(text: string, index: number, message: string): number {
  if (message.startsWith('ambiguous syntax')) {
    const read = tokensOf(text.slice(0, index));
    const atEnd = read.at(-1)?.value === '(' && index === text.length;
    return read.at(atEnd ? -1 : -2)?.range[0] ?? index;
  }
  const [, unfinished] = /^unfinished string near '([^]*)'$/.exec(message) ?? [];
  return unfinished === undefined ? index : text.lastIndexOf(unfinished, index);
}

/** Lua reads `3x`, `3end` and `1..2` as one malformed number; the parser sees two tokens. */
function malformedNumber(path: string, text: string, tokens: readonly Token[]): Problem | undefined {
  const found = tokens.find(
    ({ type, range: [, end] }) => type === TOKEN_TYPE.number && /[\w.]/.test(text.charAt(end)),
  );
  if (found === undefined) return undefined;
  return { ...positionAt(path, text, found.range[0]), message: 'malformed number: put a blank behind it' };
}

/** @throws SyntaxError when `text` cannot be cut into tokens */
export function tokensOf(text: string): Token[] {
  const lexer = luaparse.parse(text, { ...LUA, wait: true });
  const tokens: Token[] = [];
  for (let token = lexer.lex(); token.type !== TOKEN_TYPE.endOfFile; token = lexer.lex()) tokens.push(token);
  return tokens;
}

/** Where a node of the file begins. */
export function startOf(file: LuaFile, node: Node): Position {
  if (node.loc === undefined) throw new TypeError(`${file.path} was parsed without locations`);
  return { file: file.path, line: node.loc.start.line, column: node.loc.start.column + 1 };
}

/** Where the character at `index` stands. */
export function positionAt(file: string, text: string, index: number): Position {
  const before = text.slice(0, index);
  const lineStart = before.lastIndexOf('\n') + 1;
  return { file, line: before.split('\n').length, column: index - lineStart + 1 };
}

function isSyntaxError(error: unknown): error is SyntaxError & { readonly index: number } {
  return error instanceof SyntaxError && 'index' in error && typeof error.index === 'number';
}

import type { Expression, FunctionDeclaration, Identifier, Statement } from 'luaparse';

/** Where a local variable gets a value from. */
export type Source =
  | { readonly kind: 'value'; readonly node: Expression }
  /** Declared without a value. */
  | { readonly kind: 'nothing' }
  /** The second variable of `for i, element in iterator do`. */
  | { readonly kind: 'element'; readonly iterator: Expression }
  | { readonly kind: 'parameter'; readonly of: FunctionDeclaration; readonly index: number }
  /** Counts from `start` upwards or downwards. */
  | { readonly kind: 'counter'; readonly start: Expression }
  | { readonly kind: 'unknown' };

/** A local variable, parameters and loop variables among them. */
export interface Local {
  readonly name: string;
  readonly declaration: Identifier | FunctionDeclaration;
  /** All of them, wherever they are assigned. */
  readonly sources: Source[];
  /** Where it is read. */
  readonly reads: Identifier[];
}

/** One use of a name that no local variable has. */
export interface GlobalUse {
  readonly node: Identifier;
  /** It is assigned, or something in it is. */
  readonly written: boolean;
}

/** What the names of a program mean. */
export interface Names {
  readonly locals: readonly Local[];
  readonly globals: readonly GlobalUse[];
  localOf(use: Identifier): Local | undefined;
}

/** The chunks of a program, one after the other: each sees the locals of those before it. */
export type Chunks = readonly { readonly body: readonly Statement[] }[];

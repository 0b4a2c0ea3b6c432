import type { Position } from '../problem.ts';

/** One entry of KEYS. */
export interface KeyField {
  readonly name: string;
  readonly text: string;
  /** Where it is declared. */
  readonly at: Position;
}

export type ArgumentType = 'text' | 'integer' | 'bytes' | 'any';

/** One entry of ARGV. */
export interface ArgumentField extends KeyField {
  readonly type: ArgumentType;
}

/** A part of KEYS or ARGV: the entries at fixed places, and the name for all that follow. */
export interface FieldList<F extends KeyField> {
  readonly fixed: readonly F[];
  readonly tail: F | undefined;
}

/** The contract of a script: the comment at its top. Texts keep their lines. */
export interface Header {
  readonly description: string;
  readonly keys: FieldList<KeyField>;
  readonly args: FieldList<ArgumentField>;
  readonly returns: string;
  readonly errors: string;
  readonly resendable: boolean;
  /** It runs also when Redis has no memory left. */
  readonly runsWhenFull: boolean;
}

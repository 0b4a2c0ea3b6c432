/** A place in a file; line and column count from 1. */
export interface Position {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/** Something wrong with a script. */
export interface Problem extends Position {
  readonly message: string;
}

/** `file:line:column message` for each, in the order of the files; one that several scripts share is named once. */
export function problemLines(problems: readonly Problem[]): string[] {
  const sorted = [...problems].sort(
    (a, b) => compareText(a.file, b.file) || a.line - b.line || a.column - b.column,
  );
  const lines = sorted.map(({ file, line, column, message }) => `${file}:${line}:${column} ${message}`);
  return [...new Set(lines)];
}

/** By code units: the order must not depend on the locale of the machine. */
export function compareText(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

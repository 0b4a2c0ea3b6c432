import type { Position, Problem } from '../problem.ts';
import type { HeaderEntry } from './entries.ts';
import type { ArgumentField, ArgumentType, FieldList, KeyField } from './header.ts';

const INDEX = /^\w+\[(\d+)(\.\.\.)?\]$/;
const NAME = /^[a-z][A-Za-z0-9]*$/;
const TYPES: readonly string[] = ['text', 'integer', 'bytes', 'any'] satisfies ArgumentType[];

type Report = (message: string) => void;

/** Reads `KEYS[1] name text` and `KEYS[2...] name text`. */
export function keyFields(
  file: string,
  entries: readonly HeaderEntry[],
  problems: Problem[],
): FieldList<KeyField> {
  return fieldList(file, entries, problems, (text, at, report) => {
    const [name, rest] = firstWord(text);
    return checkedField({ name, text: rest, at }, report);
  });
}

/** Reads `ARGV[1] name type text` and `ARGV[2...] name type text`. */
export function argumentFields(
  file: string,
  entries: readonly HeaderEntry[],
  problems: Problem[],
): FieldList<ArgumentField> {
  return fieldList(file, entries, problems, (text, at, report) => {
    const [name, afterName] = firstWord(text);
    const [type, rest] = firstWord(afterName);
    if (!isType(type)) {
      report(`after its name an argument has its type, one of ${TYPES.join(', ')}; got '${type}'`);
      return undefined;
    }
    return checkedField({ name, type, text: rest, at }, report);
  });
}

function fieldList<F extends KeyField>(
  file: string,
  entries: readonly HeaderEntry[],
  problems: Problem[],
  read: (text: string, at: Position, report: Report) => F | undefined,
): FieldList<F> {
  const fixed: F[] = [];
  const names = new Set<string>();
  let tail: F | undefined;
  let closed = false;
  for (const [place, { label, text, line, column }] of entries.entries()) {
    const reportLabel: Report = (message) => problems.push({ file, line, column: 4, message });
    const reportText: Report = (message) => problems.push({ file, line, column, message });
    const [, index, dots] = INDEX.exec(label) ?? [];
    if (index === undefined) reportLabel(`'${label}' has no index such as [1] or [1...]`);
    else if (closed) reportLabel(`'${label}' comes after the entry that stands for all that follow`);
    else if (Number(index) !== place + 1)
      reportLabel(`'${label}' is out of order: the next index is ${place + 1}`);
    closed ||= dots !== undefined;
    const field = read(text, { file, line, column }, reportText);
    if (field === undefined) continue;
    if (names.has(field.name)) reportText(`the name '${field.name}' is there twice`);
    names.add(field.name);
    if (dots === undefined) fixed.push(field);
    else tail = field;
  }
  return { fixed, tail };
}

function checkedField<F extends KeyField>(field: F, report: Report): F | undefined {
  if (!NAME.test(field.name)) {
    report(`'${field.name}' is no name: letters and digits, the first one lower-case`);
    return undefined;
  }
  if (field.text !== '') return field;
  report(`'${field.name}' is not described`);
  return undefined;
}

function firstWord(text: string): [word: string, rest: string] {
  const [, word = '', rest = ''] = /^(\S*)\s*([^]*)$/.exec(text) ?? [];
  return [word, rest];
}

function isType(text: string): text is ArgumentType {
  return TYPES.includes(text);
}

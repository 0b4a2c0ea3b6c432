import type { Problem } from '../problem.ts';
import { headerBlock, type HeaderEntry } from './entries.ts';
import { argumentFields, keyFields } from './fields.ts';
import type { Header } from './header.ts';

const PARTS = ['Returns', 'Errors', 'Slot', 'Complexity', 'Resend'] as const;
type Part = (typeof PARTS)[number];

const RESEND = /^(safe|unsafe): *\S/;
const MEMORY = /^full: goes on, since \S/;

/**
 * Reads the contract of a script.
 *
 * @returns `undefined` when it is not complete; why is among the problems
 */
export function parseHeader(file: string, text: string, problems: Problem[]): Header | undefined {
  const before = problems.length;
  const { entries, lastLine } = headerBlock(file, text, problems);
  const end = Math.max(lastLine, 1);
  const report = (line: number, column: number, message: string): void => {
    problems.push({ file, line, column, message });
  };
  if (lastLine === 0) {
    report(1, 1, 'a script begins with the comment that describes it: what it does, KEYS, ARGV, Returns …');
    return undefined;
  }

  const [description, ...rest] = entries;
  if (description === undefined || description.text === '')
    report(1, 1, 'the header says what the script does');
  const onlyEntry = (part: string): HeaderEntry | undefined => {
    const [found, again] = rest.filter(({ label }) => label === part);
    if (found?.text === '') report(found.line, found.column, `'${part}' says nothing`);
    if (again !== undefined) report(again.line, 4, `'${part}' is there twice`);
    return found;
  };
  const partText = (part: Part): string => {
    const found = onlyEntry(part);
    if (found === undefined) report(end, 1, `the header has no '${part}'`);
    return found?.text ?? '';
  };
  const texts = Object.fromEntries(PARTS.map((part) => [part, partText(part)])) as Record<Part, string>;

  const labelled = (list: string): HeaderEntry[] => rest.filter(({ label }) => label.startsWith(`${list}[`));
  const keys = keyFields(file, labelled('KEYS'), problems);
  const args = argumentFields(file, labelled('ARGV'), problems);
  if (keys.fixed.length === 0 && keys.tail === undefined && labelled('KEYS').length === 0) {
    report(end, 1, "the header has no 'KEYS[1]': the keys decide on the server that runs the script");
  }
  const resend = rest.find(({ label }) => label === 'Resend');
  if (resend !== undefined && resend.text !== '' && !RESEND.test(resend.text)) {
    report(resend.line, resend.column, "'Resend' is 'safe: <why>' or 'unsafe: <why>'");
  }
  const memory = onlyEntry('Memory');
  if (memory !== undefined && memory.text !== '' && !MEMORY.test(memory.text)) {
    report(memory.line, memory.column, "'Memory' is 'full: goes on, since <why>', or left out");
  }
  if (problems.length > before) return undefined;
  return {
    description: description?.text ?? '',
    keys,
    args,
    returns: texts.Returns,
    errors: texts.Errors,
    resendable: texts.Resend.startsWith('safe'),
    runsWhenFull: memory !== undefined,
  };
}

import type { Problem } from '../problem.ts';

/** One part of a header as it is written: what stands on its first line, and its indented lines. */
export interface HeaderEntry {
  /** `KEYS[1]`, `ARGV[2...]`, `Returns` …; `''` for the description. */
  readonly label: string;
  readonly text: string;
  readonly line: number;
  /** Where its text begins. */
  readonly column: number;
}

/** The comment block that a script begins with. */
export interface HeaderBlock {
  readonly entries: readonly HeaderEntry[];
  /** Its last line; 0 when there is none. */
  readonly lastLine: number;
}

const LABEL = /^(KEYS\[[^\]]*\]|ARGV\[[^\]]*\]|Returns|Errors|Slot|Complexity|Resend|Memory)(?=\s|$)/;
const PREFIX = '-- ';

interface OpenEntry {
  label: string;
  line: number;
  column: number;
  lines: string[];
}

/** Cuts the comment at the top of a script into its parts. It ends where the comment does, or at a marker (`-- @…`). */
export function headerBlock(file: string, text: string, problems: Problem[]): HeaderBlock {
  const entries: OpenEntry[] = [{ label: '', line: 1, column: PREFIX.length + 1, lines: [] }];
  let line = 0;
  for (const raw of text.split('\n')) {
    if (!isComment(raw)) break;
    line += 1;
    const content = raw.slice(PREFIX.length);
    const [label] = LABEL.exec(content) ?? [];
    const current = entries.at(-1);
    if (label !== undefined) {
      const rest = content.slice(label.length);
      const column = PREFIX.length + label.length + (rest.length - rest.trimStart().length) + 1;
      entries.push({ label, line, column, lines: [rest.trim()] });
    } else if (current?.label === '' || content.trim() === '' || /^\s{2,}/.test(content)) {
      current?.lines.push(content.trimEnd());
    } else {
      problems.push({ file, line, column: PREFIX.length + 1, message: UNKNOWN_PART });
    }
  }
  return { entries: entries.map(finished), lastLine: line };
}

const UNKNOWN_PART =
  'unknown part of the header; known are KEYS[…], ARGV[…], Returns, Errors, Slot, Complexity, Resend and Memory, ' +
  'and a line that goes on with one of them is indented';

function isComment(raw: string): boolean {
  return raw === '--' || (raw.startsWith(PREFIX) && !/^-- *@/.test(raw));
}

function finished({ label, line, column, lines }: OpenEntry): HeaderEntry {
  const [first = '', ...rest] = lines;
  const used = rest.filter((text) => text !== '');
  const indent = Math.min(...used.map((text) => text.length - text.trimStart().length));
  const text = [first, ...rest.map((part) => part.slice(indent))].join('\n').trim();
  return { label, line, column, text };
}

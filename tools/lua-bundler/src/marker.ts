import { startOf, type LuaFile } from './lua-file.ts';
import type { Position, Problem } from './problem.ts';

/** What a script may say to be allowed something: `key` an undeclared key, `unbounded` a command, `bounded` an `unpack`. */
export type MarkerKind = 'key' | 'unbounded' | 'bounded';

const KINDS: readonly string[] = ['key', 'unbounded', 'bounded'] satisfies MarkerKind[];

interface Marker extends Position {
  readonly kind: MarkerKind;
  /** The line it speaks of: its own, or the next one when it has its line to itself. */
  readonly target: number;
}

/** The markers of all files of a package, and which of them were needed. */
export class Markers {
  readonly #markers: Marker[] = [];
  readonly #used = new Set<Marker>();

  /** Reads the markers of a file; malformed ones are problems. */
  add(file: LuaFile, problems: Problem[]): void {
    const codeLines = new Set(file.tokens.flatMap(linesOf));
    const commentLines = new Set(file.comments.map((comment) => startOf(file, comment).line));
    const nextCode = (line: number): number => {
      let next = line;
      while (!codeLines.has(next) && commentLines.has(next)) next += 1;
      return next;
    };
    for (const comment of file.comments) {
      const start = startOf(file, comment);
      for (const { kind, reason, offset } of directives(comment.raw)) {
        const at = { ...start, column: start.column + offset };
        if (kind === 'include') continue;
        if (!isKind(kind)) problems.push({ ...at, message: `there is no marker '@${kind}'; ${KNOWN}` });
        else if (reason === '') problems.push({ ...at, message: `say why: '-- @${kind} <reason>'` });
        else this.#markers.push({ ...at, kind, target: nextCode(start.line) });
      }
    }
  }

  /** Whether a marker speaks of one of these places; it then counts as needed. */
  allow(kind: MarkerKind, ...places: readonly Position[]): boolean {
    const found = this.#markers.filter(
      (marker) =>
        marker.kind === kind &&
        places.some(({ file, line }) => file === marker.file && line === marker.target),
    );
    for (const marker of found) this.#used.add(marker);
    return found.length > 0;
  }

  /** Markers that allowed nothing in any script: what they speak of has gone, or they stand on the wrong line. */
  unused(): Problem[] {
    return this.#markers
      .filter((marker) => !this.#used.has(marker))
      .map(({ file, line, column, kind }) => ({
        file,
        line,
        column,
        message: `'@${kind}' allows nothing here: remove it, or put it on the line it is for or the one before`,
      }));
  }
}

const KNOWN = 'known are @include, @key, @unbounded and @bounded';
const MARKER_COMMENT = /^--+ *@/;
/** A marker begins the comment or comes after a blank; its reason goes on to the next one. */
const DIRECTIVE = /(?<=^--+ *|\s)@([A-Za-z]+)\b/g;

function directives(raw: string): { kind: string; reason: string; offset: number }[] {
  if (!MARKER_COMMENT.test(raw)) return [];
  const found = [...raw.matchAll(DIRECTIVE)];
  return found.map((match, at) => {
    const end = found[at + 1]?.index ?? raw.length;
    return {
      kind: match[1] ?? '',
      reason: raw.slice(match.index + match[0].length, end).trim(),
      offset: match.index,
    };
  });
}

function linesOf({ line, lastLine = line }: { readonly line: number; readonly lastLine?: number }): number[] {
  return Array.from({ length: lastLine - line + 1 }, (_, at) => line + at);
}

function isKind(text: string): text is MarkerKind {
  return KINDS.includes(text);
}

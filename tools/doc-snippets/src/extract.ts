/** One piece of TypeScript from a Markdown file. */
export interface Snippet {
  /** Line of the opening fence, counted from 1. */
  readonly line: number;
  /** The code at the lines where it stands in the Markdown file, so that errors name the right line. */
  readonly code: string;
  /** False for blocks marked `no-run`: they are only type-checked. */
  readonly run: boolean;
  /** What the snippet says it prints, line by line; `null` when it says nothing. */
  readonly output: readonly string[] | null;
}

interface Block {
  readonly line: number;
  readonly markers: ReadonlySet<string>;
  readonly code: readonly string[];
}

const FENCE = /^(\s*)(`{3,}|~{3,})\s*([^`]*)$/;
const LANGUAGES = new Set(['ts', 'typescript']);
const MARKERS = new Set(['no-run', 'continue']);
const OUTPUT = /\/\/ →(?: (.*))?$/;

/**
 * Finds the TypeScript blocks of a Markdown text.
 *
 * @throws Error for a fence that is never closed, an unknown marker, and a `continue` that has nothing to go on from
 */
export function extractSnippets(markdown: string): Snippet[] {
  const snippets: Snippet[] = [];
  for (const block of blocksOf(markdown.split(/\r?\n/))) {
    const run = !block.markers.has('no-run');
    if (!block.markers.has('continue')) {
      snippets.push(snippetOf(block.line, placed('', block), run));
      continue;
    }
    const previous = snippets.pop();
    if (previous === undefined || !previous.run || !run) {
      throw new Error(
        `line ${block.line}: 'continue' goes on from the TypeScript block before it, and both must run`,
      );
    }
    snippets.push(snippetOf(previous.line, placed(previous.code, block), true));
  }
  return snippets;
}

function blocksOf(lines: readonly string[]): Block[] {
  const blocks: Block[] = [];
  for (let index = 0; index < lines.length; index += 1) {
    const [, indent = '', fence, info = ''] = FENCE.exec(lines[index] ?? '') ?? [];
    if (fence === undefined) continue;
    const start = index;
    const closing = new RegExp(`^\\s*${fence.charAt(0)}{${fence.length},}\\s*$`);
    do {
      index += 1;
      if (index === lines.length) throw new Error(`line ${start + 1}: this code block is never closed`);
    } while (!closing.test(lines[index] ?? ''));
    const [language = '', ...markers] = info.trim().split(/\s+/);
    if (!LANGUAGES.has(language)) continue;
    const code = lines
      .slice(start + 1, index)
      .map((line) => (line.startsWith(indent) ? line.slice(indent.length) : line));
    blocks.push({ line: start + 1, markers: knownMarkers(markers, start + 1), code });
  }
  return blocks;
}

function knownMarkers(markers: readonly string[], line: number): Set<string> {
  const unknown = markers.find((marker) => !MARKERS.has(marker));
  if (unknown === undefined) return new Set(markers);
  throw new Error(`line ${line}: unknown marker '${unknown}', known are ${[...MARKERS].join(', ')}`);
}

/** `before` and the block, each at its own lines. */
function placed(before: string, { line, code }: Block): string {
  const lines = before === '' ? [] : before.split('\n');
  return [...lines, ...Array<string>(line - lines.length).fill(''), ...code].join('\n');
}

function snippetOf(line: number, code: string, run: boolean): Snippet {
  const output = code.split('\n').flatMap((text) => {
    const match = OUTPUT.exec(text.trimEnd());
    return match === null ? [] : [match[1] ?? ''];
  });
  return { line, code, run, output: output.length === 0 ? null : output };
}

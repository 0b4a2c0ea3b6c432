import { checkProgram } from './check/check.ts';
import { generateModule } from './generate.ts';
import { parseHeader } from './header/parse-header.ts';
import { withIncludes } from './include.ts';
import { parseLua, type LuaFile } from './lua-file.ts';
import { Markers } from './marker.ts';
import type { Problem } from './problem.ts';
import { programOf } from './program/program.ts';
import { nameProblems } from './script-names.ts';
import type { BundledScript } from './script.ts';
import type { Sources, SourceText } from './sources.ts';
import { strip } from './strip.ts';

/** What Redis reads in front of a script that it is to run also when it may use no more memory. Since Redis 7.0. */
const RUNS_WHEN_FULL = '#!lua flags=allow-oom\n';

export interface Bundle {
  /** The text of `scripts.generated.ts`; of no use while there are problems. */
  readonly module: string;
  readonly scripts: readonly BundledScript[];
  readonly problems: readonly Problem[];
}

/**
 * Checks the Lua of a package and turns it into a TypeScript module.
 *
 * @param command what writes the module, for its first line
 */
export function bundle(sources: Sources, command: string): Bundle {
  const problems = nameProblems(sources);
  const markers = new Markers();
  const parsed = (source: SourceText): LuaFile | undefined => {
    const file = parseLua(source.path, source.text);
    if (!('message' in file)) {
      markers.add(file, problems);
      return file;
    }
    problems.push(file);
    return undefined;
  };
  const includes = new Map(sources.includes.map((source) => [source.name, parsed(source)]));
  const scripts = sources.scripts.map((source) => ({ source, file: parsed(source) }));
  const readable = [...includes.values(), ...scripts.map(({ file }) => file)].every(
    (file) => file !== undefined,
  );

  const used = new Set<LuaFile>();
  const bundled = scripts.flatMap(({ source, file }): BundledScript[] => {
    const header = parseHeader(source.path, source.text, problems);
    if (file === undefined) return [];
    const files = withIncludes(file, includes, problems);
    for (const part of files) used.add(part);
    problems.push(...checkProgram(programOf(files), header, markers));
    const text = joined(files, problems);
    if (header === undefined) return [];
    return [{ name: source.name, header, source: header.runsWhenFull ? RUNS_WHEN_FULL + text : text }];
  });
  // What cannot be read may include what nobody else does, and need a marker there.
  if (readable) problems.push(...unusedIncludes(includes, used), ...markers.unused());
  return { module: generateModule(bundled, command), scripts: bundled, problems };
}

/** The stripped text of a script with its includes. */
function joined(files: readonly LuaFile[], problems: Problem[]): string {
  const text = files.map((file) => strip(file.text)).join('\n');
  const path = files.at(-1)?.path ?? '';
  const result = parseLua(path, text);
  // Each file is right as Lua: only where one ends and the next begins can they be read as one statement.
  if ('message' in result) {
    const message = `together with its includes the script is no Lua: ${result.message}`;
    problems.push({ file: path, line: 1, column: 1, message });
  }
  return text;
}

function unusedIncludes(
  includes: ReadonlyMap<string, LuaFile | undefined>,
  used: ReadonlySet<LuaFile>,
): Problem[] {
  return [...includes.values()]
    .filter((file) => file !== undefined)
    .filter((file) => !used.has(file))
    .map(({ path }) => ({ file: path, line: 1, column: 1, message: 'no script includes this file' }));
}

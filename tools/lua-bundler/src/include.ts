import { startOf, type LuaFile } from './lua-file.ts';
import type { Position, Problem } from './problem.ts';

/** The files of `lua/include`, by name. `undefined` for one that could not be parsed, which is reported by itself. */
export type Includes = ReadonlyMap<string, LuaFile | undefined>;

interface Directive {
  readonly name: string;
  /** Where the name stands. */
  readonly at: Position;
}

const DIRECTIVE = /^-- *@include\b *(.*?) *$/;
const NAME = /^[a-z0-9]+(-[a-z0-9]+)*$/;

/**
 * What a script consists of: the files it includes, each once and in the order of their first use, then the script itself.
 */
export function withIncludes(script: LuaFile, includes: Includes, problems: Problem[]): LuaFile[] {
  const files: LuaFile[] = [];
  const done = new Set<string>();

  function add(file: LuaFile, path: readonly string[]): void {
    for (const { name, at } of directivesOf(file, problems)) {
      const included = includes.get(name);
      if (path.includes(name)) {
        const circle = [...path.slice(path.indexOf(name)), name].join(' → ');
        problems.push({ ...at, message: `includes go in a circle: ${circle}` });
      } else if (!includes.has(name)) {
        problems.push({ ...at, message: `there is no include/${name}.lua` });
      } else if (included !== undefined && !done.has(name)) {
        done.add(name);
        add(included, [...path, name]);
      }
    }
    files.push(file);
  }

  add(script, []);
  return files;
}

/** The directives of a file; one that is not where or what it should be is reported. */
function directivesOf(file: LuaFile, problems: Problem[]): Directive[] {
  const firstLine = file.tokens[0]?.line ?? Infinity;
  const directives: Directive[] = [];
  for (const comment of file.comments) {
    const [, name] = DIRECTIVE.exec(comment.raw) ?? [];
    if (name === undefined) continue;
    const start = startOf(file, comment);
    if (!NAME.test(name)) {
      problems.push({ ...start, message: "write '-- @include <name>' for include/<name>.lua" });
    } else if (start.line >= firstLine) {
      problems.push({ ...start, message: '@include stands before the first statement' });
    } else {
      directives.push({ name, at: { ...start, column: start.column + comment.raw.lastIndexOf(name) } });
    }
  }
  return directives;
}

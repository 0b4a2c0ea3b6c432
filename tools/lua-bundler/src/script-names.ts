import { camelCase } from './generate.ts';
import type { Problem } from './problem.ts';
import type { Sources } from './sources.ts';

const NAME = /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/;
/** What no function of a module may be called. */
const RESERVED: ReadonlySet<string> = new Set(
  `arguments await break case catch class const continue debugger default delete do else enum eval export extends false
  finally for function if implements import in instanceof interface let new null package private protected public return
  static super switch this throw true try typeof var void while with yield`.split(/\s+/),
);

/** The names of the files become names of functions: checks that they can. */
export function nameProblems({ scripts, includes }: Sources): Problem[] {
  const problems: Problem[] = [];
  const exported = new Set<string>();
  for (const { name, path } of [...scripts, ...includes]) {
    if (NAME.test(name)) continue;
    const message = 'a file is named in lower case, with a hyphen between words: <verb>-<noun>.lua';
    problems.push({ file: path, line: 1, column: 1, message });
  }
  for (const { name, path } of scripts) {
    const id = camelCase(name);
    const names = [id, `${id}Script`, `${id}KeyCount`];
    const taken = names.find((candidate) => exported.has(candidate) || RESERVED.has(candidate));
    for (const each of names) exported.add(each);
    if (taken === undefined) continue;
    const message = `the script cannot be exported as '${taken}', which has a meaning of its own: rename it`;
    problems.push({ file: path, line: 1, column: 1, message });
  }
  return problems;
}

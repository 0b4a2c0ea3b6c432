import { bundle } from '../bundle.ts';
import { problemLines } from '../problem.ts';
import type { Sources, SourceText } from '../sources.ts';

/** Lua files by their path below `src/lua`, as `readSources` would give them. */
export function sourcesOf(files: Readonly<Record<string, string>>): Sources {
  const texts = Object.entries(files).map(([file, text]): SourceText => ({
    name: file.replace(/^include\//, '').replace(/\.lua$/, ''),
    path: `src/lua/${file}`,
    text,
  }));
  return {
    scripts: texts.filter(({ path }) => !path.includes('/include/')),
    includes: texts.filter(({ path }) => path.includes('/include/')),
  };
}

/** A script with a whole header of eight lines, so that `code` begins in line 9. It declares KEYS[1] and no arguments. */
export function script(code: string): string {
  return `-- Does something.
--
-- KEYS[1]    thing  what it is done to
-- Returns    OK
-- Errors     none
-- Slot       the thing's
-- Complexity O(1)
-- Resend     safe: it is the same again
${code}`;
}

/** All that is wrong with a package of these files. */
export function problemsOf(files: Readonly<Record<string, string>>): string[] {
  return problemLines(bundle(sourcesOf(files), 'the command').problems);
}

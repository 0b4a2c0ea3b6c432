import { createProjectGraphAsync } from '@nx/devkit';
import { ESLint } from 'eslint';
import tseslint from 'typescript-eslint';

/** A source text, linted as if it stood in `file`. */
export interface Fixture {
  /** Path from the workspace root. With `typed` it must exist, because its types come from its tsconfig. */
  readonly file: string;
  readonly text: string;
  /** Also run the rules that need types (slower). */
  readonly typed?: boolean;
}

/**
 * Lints the fixtures with the workspace's own configuration.
 *
 * @returns for every fixture the names of the rules it breaks
 */
export async function lintFixtures(cwd: string, fixtures: readonly Fixture[]): Promise<string[][]> {
  // The boundary rule reads the cached graph, and reports nothing at all when there is none.
  await createProjectGraphAsync({ exitOnError: false });
  const typed = new ESLint({ cwd });
  const untyped = new ESLint({ cwd, overrideConfig: [tseslint.configs.disableTypeChecked] });
  const broken: string[][] = [];
  for (const { file, text, ...fixture } of fixtures) {
    const [result] = await (fixture.typed === true ? typed : untyped).lintText(text, { filePath: file });
    const rules = result?.messages.map(({ ruleId, message }) => ruleId ?? message) ?? ['not linted'];
    broken.push([...new Set(rules)]);
  }
  return broken;
}

import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Suite } from './suite.ts';

const MODULE = join('src', 'suite.ts');

/** Names of the folders that hold a suite. */
export function suitesIn(folder: string): string[] {
  return readdirSync(folder)
    .filter((name) => name !== 'harness' && existsSync(join(folder, name, MODULE)))
    .sort();
}

/**
 * Suites are found by their folder, not imported: they stand on this workspace, and it must not stand on them.
 *
 * @throws Error for a module that exports no `suite`
 */
export async function loadSuite(folder: string, name: string): Promise<Suite> {
  const path = join(folder, name, MODULE);
  const { suite } = (await import(pathToFileURL(path).href)) as { readonly suite?: Suite };
  if (typeof suite?.open !== 'function') throw new Error(`${path} must export a suite as \`suite\``);
  return suite;
}

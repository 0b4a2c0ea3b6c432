import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { SCOPE, type Manifest } from './manifest.ts';

/** A package of a registry, where it lies in the workspace. */
export interface ThirdParty {
  readonly name: string;
  readonly folder: string;
}

/**
 * Everything of registries that the packages in `folders` need at run time, and what that needs in turn. Optional and peer
 * dependencies are left out: whoever wants them installs them.
 *
 * @param wanted names that are installed besides, looked up from the first folder
 * @throws Error when one is not installed in the workspace, or in two versions
 */
export function thirdPartyOf(folders: readonly string[], wanted: readonly string[] = []): ThirdParty[] {
  const found = new Map<string, string>();
  const visit = (name: string, from: string): void => {
    const folder = folderOf(name, from);
    const known = found.get(name);
    if (known === folder) return;
    if (known !== undefined) {
      throw new Error(
        `${name} is needed in two versions, ${known} and ${folder}; the check installs one of each`,
      );
    }
    found.set(name, folder);
    for (const dependency of dependenciesOf(folder)) visit(dependency, folder);
  };
  for (const folder of folders) {
    for (const name of dependenciesOf(folder).filter((each) => !each.startsWith(SCOPE))) visit(name, folder);
  }
  const [first = '.'] = folders;
  for (const name of wanted) visit(name, first);
  return [...found].map(([name, folder]) => ({ name, folder }));
}

function dependenciesOf(folder: string): string[] {
  const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest;
  return Object.keys(manifest.dependencies ?? {});
}

/** As Node.js looks for it: many packages do not export their `package.json`, so it cannot be asked. */
function folderOf(name: string, from: string): string {
  for (let above = from; ; above = dirname(above)) {
    const folder = join(above, 'node_modules', name);
    if (existsSync(join(folder, 'package.json'))) return folder;
    if (above === dirname(above)) throw new Error(`${name}, which ${from} needs, is not installed`);
  }
}

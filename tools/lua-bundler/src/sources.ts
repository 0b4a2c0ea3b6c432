import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { compareText } from './problem.ts';

/** Where the scripts of a package are, relative to its folder. Paths in messages begin like this on every system. */
export const LUA_FOLDER = 'src/lua';
export const INCLUDE_FOLDER = `${LUA_FOLDER}/include`;

export interface SourceText {
  /** The name of the file, without `.lua`. */
  readonly name: string;
  /** Relative to the package. */
  readonly path: string;
  readonly text: string;
}

/** The Lua of a package, in the order of the names. */
export interface Sources {
  readonly scripts: readonly SourceText[];
  readonly includes: readonly SourceText[];
}

export function readSources(packageFolder: string): Sources {
  return {
    scripts: luaFiles(packageFolder, LUA_FOLDER),
    includes: luaFiles(packageFolder, INCLUDE_FOLDER),
  };
}

function luaFiles(packageFolder: string, folder: string): SourceText[] {
  const path = join(packageFolder, folder);
  if (!existsSync(path)) return [];
  return readdirSync(path)
    .filter((file) => file.endsWith('.lua'))
    .sort(compareText)
    .map((file) => ({
      name: file.slice(0, -'.lua'.length),
      path: `${folder}/${file}`,
      // As Lua reads them: the script must not depend on how the files were checked out.
      text: readFileSync(join(path, file), 'utf8').replaceAll('\r\n', '\n'),
    }));
}

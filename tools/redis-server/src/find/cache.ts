import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Binary, inspect, isExecutable, SERVERS } from './binary.ts';
import { programOf } from './binaries.ts';
import type { Place } from './place.ts';

/** Libraries that came with the server, relative to its directory. One path a line. */
export const LIBRARIES_FILE = 'libraries';

/**
 * The directory of the cache for this system. A binary of another one would not run: caches travel in images and over
 * shared disks.
 */
export async function systemDirectory(cache: string, osRelease = '/etc/os-release'): Promise<string> {
  const text = await readFile(osRelease, 'utf8').catch(() => '');
  const field = (name: string): string => new RegExp(`^${name}="?([^"\\n]*)`, 'm').exec(text)?.[1] ?? '';
  return join(
    cache,
    [field('ID') || process.platform, field('VERSION_ID'), process.arch].filter(Boolean).join('-'),
  );
}

/**
 * What an earlier fetch left in `directory`: `bin/<server>` and the directories of its libraries.
 *
 * @throws Unusable as {@link inspect}
 */
export async function cachedBinary(directory: string): Promise<Binary | undefined> {
  for (const name of SERVERS) {
    const command = join(directory, 'bin', name);
    if (!(await isExecutable(command))) continue;
    const libraries = await readFile(join(directory, LIBRARIES_FILE), 'utf8');
    const paths = libraries.split('\n').filter(Boolean);
    return inspect({
      command,
      env: { LD_LIBRARY_PATH: paths.map((path) => join(directory, path)).join(':') },
    });
  }
  return undefined;
}

export function cachePlace(cache: string): Place {
  return {
    look: async () => {
      const binary = await cachedBinary(await systemDirectory(cache));
      return binary === undefined ? undefined : programOf(binary);
    },
  };
}

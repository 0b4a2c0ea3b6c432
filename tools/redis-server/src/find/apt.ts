import { copyFile, mkdir, mkdtemp, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { type Binary, inspect, onPath, Unusable } from './binary.ts';
import { programOf } from './binaries.ts';
import { cachedBinary, LIBRARIES_FILE, systemDirectory } from './cache.ts';
import { withLock } from './lock.ts';
import type { Place, Say } from './place.ts';
import { run } from './run.ts';

/** A package whose program for checking files is the server itself: one binary that goes by the name it is called. */
interface Source {
  readonly package: string;
  readonly binary: string;
  readonly server: string;
}

const SOURCES: readonly Source[] = [
  { package: 'redis-tools', binary: 'usr/bin/redis-check-rdb', server: 'redis-server' },
  { package: 'valkey-tools', binary: 'usr/bin/valkey-check-rdb', server: 'valkey-server' },
];

const DOWNLOAD_TIMEOUT_MS = 5 * 60_000;

/**
 * On Debian, Ubuntu and their kin: the distribution's own packages, downloaded and unpacked into the cache. Nothing is
 * installed and nobody has to be root.
 */
export function aptPlace(cache: string): Place {
  return {
    advice: 'on Debian and Ubuntu: give apt-get a network, or run `apt-get install redis-server`',
    look: async (say) => {
      for (const tool of ['apt-get', 'dpkg', 'dpkg-deb', 'dpkg-query', 'perl']) {
        if ((await onPath(tool)) === undefined) return undefined;
      }
      const target = await systemDirectory(cache);
      await mkdir(cache, { recursive: true });
      const binary = await withLock(join(cache, 'lock'), async () => {
        // Somebody else may have filled it while we waited.
        const filled = await cachedBinary(target).catch(() => undefined);
        return filled ?? (await fill(cache, target, say));
      });
      return programOf(binary);
    },
  };
}

async function fill(cache: string, target: string, say: Say): Promise<Binary> {
  const failures: string[] = [];
  for (const source of SOURCES) {
    const work = await mkdtemp(join(cache, 'fetch-'));
    try {
      say(
        `none on this machine: fetching ${source.package} with apt-get into ${cache}; nothing is installed`,
      );
      await inspect(await unpacked(source, work));
      await rm(target, { recursive: true, force: true });
      await rename(join(work, 'unpacked'), target);
      const binary = await cachedBinary(target);
      if (binary !== undefined) return binary;
    } catch (error) {
      failures.push((error as Error).message);
    } finally {
      await rm(work, { recursive: true, force: true });
    }
  }
  throw new Unusable(failures.join('; '));
}

/** Downloads and unpacks a package and the libraries this system lacks; gives the server as it can be called. */
async function unpacked(
  source: Source,
  work: string,
): Promise<{ command: string; env: Record<string, string> }> {
  const downloads = join(work, 'downloads');
  const root = join(work, 'unpacked');
  await mkdir(downloads);
  await mkdir(join(root, 'bin'), { recursive: true });
  const download = downloader(work, downloads);

  const wanted = [source.package];
  const seen = new Set<string>();
  for (let name = wanted.pop(); name !== undefined; name = wanted.pop()) {
    if (seen.has(name)) continue;
    seen.add(name);
    const archive = await download(name);
    await run('dpkg', ['-x', archive, root]);
    const depends = await run('dpkg-deb', ['-f', archive, 'Depends', 'Pre-Depends']);
    for (const library of librariesIn(depends)) {
      if (!(await isInstalled(library))) wanted.push(library);
    }
  }

  const command = join(root, 'bin', source.server);
  await copyFile(join(root, source.binary), command);
  const directories = await libraryDirectories(root);
  await writeFile(
    join(root, LIBRARIES_FILE),
    directories.map((path) => `${relative(root, path)}\n`).join(''),
  );
  return { command, env: { LD_LIBRARY_PATH: directories.join(':') } };
}

/**
 * Downloads with the system's package lists. Where they are missing or outdated, lists of our own are fetched: the
 * system's belong to root, and are not ours to change.
 */
function downloader(work: string, downloads: string): (name: string) => Promise<string> {
  const options: string[] = [];
  const attempt = async (name: string): Promise<string> => {
    await run('apt-get', [...options, '-qq', 'download', name], {
      cwd: downloads,
      timeout: DOWNLOAD_TIMEOUT_MS,
    });
    const archive = (await readdir(downloads)).find((file) => file.startsWith(`${name}_`));
    if (archive === undefined) throw new Error(`apt-get download ${name} left no file`);
    return join(downloads, archive);
  };
  return async (name) => {
    try {
      return await attempt(name);
    } catch (error) {
      if (options.length > 0) throw error;
      options.push(...(await freshLists(join(work, 'apt'))));
      return attempt(name);
    }
  };
}

/** Fetches package lists into `state` and gives the options that make apt use them. */
async function freshLists(state: string): Promise<string[]> {
  await mkdir(join(state, 'lists/partial'), { recursive: true });
  await mkdir(join(state, 'archives/partial'), { recursive: true });
  const options = [`Dir::State::lists=${join(state, 'lists')}`, `Dir::Cache=${state}`, 'APT::Sandbox::User=']
    .map((option) => ['-o', option])
    .flat();
  await run('apt-get', [...options, '-qq', 'update'], { timeout: DOWNLOAD_TIMEOUT_MS });
  return options;
}

/** The libraries in a `Depends` line, without their versions. Of alternatives the first is taken, as apt does. */
export function librariesIn(depends: string): string[] {
  return depends
    .replace(/^[\w-]+:/gm, ',')
    .split(/[,\n]/)
    .map((entry) => /^\s*([a-z0-9][a-z0-9+.-]*)/.exec(entry)?.[1] ?? '')
    .filter((name) => name.startsWith('lib'));
}

async function isInstalled(name: string): Promise<boolean> {
  return run('dpkg-query', ['-W', '-f', '${db:Status-Status}\n', name]).then(
    (printed) => printed.split('\n').includes('installed'),
    () => false,
  );
}

/** Where the unpacked packages have their shared libraries: `usr/lib/<machine>`, `lib/<machine>`, and above. */
async function libraryDirectories(root: string): Promise<string[]> {
  const found: string[] = [];
  for (const top of ['usr/lib', 'lib', 'usr/lib64', 'lib64']) {
    const directory = join(root, top);
    const entries = await readdir(directory).catch(() => []);
    for (const path of [directory, ...entries.map((entry) => join(directory, entry))]) {
      if (!(await stat(path).catch(() => undefined))?.isDirectory()) continue;
      if ((await readdir(path)).some((file) => /\.so(\.|$)/.test(file))) found.push(path);
    }
  }
  return found;
}

import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { type FakePrograms, fakePrograms } from '../test-support/fake-programs.ts';
import { aptPlace, librariesIn } from './apt.ts';
import { cachePlace, systemDirectory } from './cache.ts';

let fakes: FakePrograms;
let cache: string;
const said: string[] = [];

/** `download` knows what is in `packages/` as soon as `lists` exists; `update` makes it. Both write down their call. */
const APT_GET = `
root=\${0%/bin/*}
for word; do case $word in update|download) command=$word;; esac; last=$word; done
echo "$command $last" >>"$root/calls"
case $command in
  update) touch "$root/lists";;
  download)
    [ -e "$root/lists" ] || { echo "E: Unable to locate package $last" >&2; exit 100; }
    [ -d "$root/packages/$last" ] || { echo "E: no such package $last" >&2; exit 100; }
    echo "$last" >"\${last}_1.0_amd64.deb";;
esac`;

/** An archive of these fakes holds the name of a directory, and that directory the files. */
const DPKG = `cp -R "\${0%/bin/*}/packages/$(cat "$2")/." "$3"`;
const DPKG_DEB = `cat "\${0%/bin/*}/depends/$(cat "$2")"`;
const DPKG_QUERY = `for name; do :; done; [ "$name" = libc6 ] && echo installed || exit 1`;

async function offer(name: string, depends: string, files: Record<string, string>): Promise<void> {
  await mkdir(join(fakes.root, 'depends'), { recursive: true });
  await writeFile(join(fakes.root, 'depends', name), depends);
  for (const [path, content] of Object.entries(files)) {
    const file = join(fakes.root, 'packages', name, path);
    await mkdir(join(file, '..'), { recursive: true });
    await writeFile(file, content, { mode: 0o755 });
  }
}

async function calls(): Promise<string[]> {
  return (await readFile(join(fakes.root, 'calls'), 'utf8')).trim().split('\n');
}

beforeEach(async () => {
  fakes = await fakePrograms();
  cache = join(fakes.root, 'cache');
  said.length = 0;
  await fakes.program('apt-get', APT_GET);
  await fakes.program('dpkg', DPKG);
  await fakes.program('dpkg-deb', DPKG_DEB);
  await fakes.program('dpkg-query', DPKG_QUERY);
  fakes.first();
  await offer('redis-tools', 'Depends: adduser, libc6 (>= 2.34), liblzf1 (>= 1.5)\n', {
    // It runs only when it finds its library, and tells the version in there.
    'usr/bin/redis-check-rdb':
      '#!/bin/sh\nfor d in $(echo "$LD_LIBRARY_PATH" | tr : " "); do [ -e "$d/liblzf.so.1" ] && . "$d/liblzf.so.1"; done\necho "Redis server v=${version:?library missing} sha=0"\n',
  });
  await offer('liblzf1', 'Depends: libc6, libdeep1\n', {
    'usr/lib/x86_64-linux-gnu/liblzf.so.1': 'version=7.0.15\n',
  });
  await offer('libdeep1', '', { 'lib/libdeep.so.1': '' });
});

afterEach(() => fakes.remove());

const look = (): ReturnType<ReturnType<typeof aptPlace>['look']> =>
  aptPlace(cache).look((line) => said.push(line));

describe('packages of the distribution', () => {
  test('are downloaded with the libraries that are missing, and unpacked into the cache', async () => {
    await writeFile(join(fakes.root, 'lists'), '');
    const program = await look();
    const directory = await systemDirectory(cache);
    expect(program?.label).toBe(`Redis 7.0.15 from ${join(directory, 'bin/redis-server')}`);
    expect(await calls()).toEqual(['download redis-tools', 'download liblzf1', 'download libdeep1']);
    expect(said).toEqual([expect.stringContaining('fetching redis-tools with apt-get')]);
    expect((await cachePlace(cache).look(() => undefined))?.label).toBe(program?.label);
  });

  test('lists are fetched where they are missing', async () => {
    await look();
    expect((await calls()).slice(0, 3)).toEqual([
      'download redis-tools',
      'update update',
      'download redis-tools',
    ]);
  });

  test('processes that look at the same time download once', async () => {
    await writeFile(join(fakes.root, 'lists'), '');
    const labels = (await Promise.all([look(), look(), look()])).map((program) => program?.label);
    expect(new Set(labels).size).toBe(1);
    expect((await calls()).filter((call) => call === 'download liblzf1')).toHaveLength(1);
  });

  test('leave nothing half done behind when they cannot be had', async () => {
    await offer('liblzf1', 'Depends: libabsent\n', {});
    await expect(look()).rejects.toThrow('no such package libabsent');
    expect(await readdir(cache)).toEqual(['lock']);
    expect(await cachePlace(cache).look(() => undefined)).toBeUndefined();
  });

  test('a Valkey is taken where Redis is too old', async () => {
    await offer('liblzf1', '', { 'usr/lib/x86_64-linux-gnu/liblzf.so.1': 'version=6.0.16\n' });
    await offer('valkey-tools', '', {
      'usr/bin/valkey-check-rdb': '#!/bin/sh\necho "Valkey server v=8.1.1 sha=0"\n',
    });
    const program = await look();
    expect(program?.label).toBe(
      `Valkey 8.1.1 from ${join(await systemDirectory(cache), 'bin/valkey-server')}`,
    );
  });

  test('a cache whose binary does not run any more is filled anew', async () => {
    await look();
    const directory = await systemDirectory(cache);
    await writeFile(join(directory, 'libraries'), '');
    await expect(cachePlace(cache).look(() => undefined)).rejects.toThrow('library missing');
    expect((await look())?.label).toContain('Redis 7.0.15');
    expect((await cachePlace(cache).look(() => undefined))?.label).toContain('Redis 7.0.15');
  });
});

test('a line of dependencies names libraries, of alternatives the first', () => {
  const depends =
    'Depends: adduser, libc6 (>= 2.34), libssl3t64 | libssl3 (>= 3.0.0), libstdc++6:any\nPre-Depends: libfoo-1.2\n';
  expect(librariesIn(depends)).toEqual(['libc6', 'libssl3t64', 'libstdc++6', 'libfoo-1.2']);
});

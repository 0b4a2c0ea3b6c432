import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { type FakePrograms, fakePrograms } from '../test-support/fake-programs.ts';
import { brewPlace } from './brew.ts';

let fakes: FakePrograms;
const said: string[] = [];

const server = (name: string, version: string): string =>
  `mkdir -p "$root/opt/${name}/bin"; printf '#!/bin/sh\\necho "${version} sha=0"\\n' >"$root/opt/${name}/bin/${name}-server"; chmod +x "$root/opt/${name}/bin/${name}-server"`;

/** Installs what it is told to below its prefix. */
const brew = (installed: string): string => `root=\${0%/bin/*}
${installed}
case $1 in
  --prefix) echo "$root";;
  install) ${server('redis', 'Redis server v=8.0.3')};;
esac`;

beforeEach(async () => {
  fakes = await fakePrograms();
  said.length = 0;
  fakes.first();
});

afterEach(() => fakes.remove());

describe('Homebrew', () => {
  test('is not asked on other systems', async () => {
    await fakes.program('brew', 'exit 1');
    expect(await brewPlace('linux').look(() => undefined)).toBeUndefined();
  });

  test('a server that is installed but not linked into the PATH is found', async () => {
    await fakes.program('brew', brew(server('valkey', 'Valkey server v=8.1.1')));
    const program = await brewPlace('darwin').look((line) => said.push(line));
    expect(program?.label).toBe(`Valkey 8.1.1 from ${fakes.root}/opt/valkey/bin/valkey-server`);
    expect(said).toEqual([]);
  });

  test('Redis is installed when there is none', async () => {
    await fakes.program('brew', brew(':'));
    const program = await brewPlace('darwin').look((line) => said.push(line));
    expect(program?.label).toBe(`Redis 8.0.3 from ${fakes.root}/opt/redis/bin/redis-server`);
    expect(said).toEqual([expect.stringContaining('brew install redis')]);
  });
});

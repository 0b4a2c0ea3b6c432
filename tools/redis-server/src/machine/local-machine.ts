import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startGuarded } from './guard.ts';
import type { Machine } from './machine.ts';

/**
 * Removes a directory once nobody holds its standard input any more: at the end of a run as after a kill -9. It tries
 * again when a dying server has just written another file.
 */
const KEEPER = `
while read -r line; do :; done
for attempt in 1 2 3 4 5; do rm -rf "$1" && exit; sleep 0.2; done
`;

export interface LocalCommand {
  /** Path of the server's binary. */
  readonly command: string;
  /** Added to the environment of this process. */
  readonly env: Readonly<Record<string, string>>;
}

/** Servers as processes of this machine, under a temporary directory of their own, listening on 127.0.0.1 only. */
export async function localMachine({ command, env }: LocalCommand): Promise<Machine> {
  const root = await mkdtemp(join(tmpdir(), 'rs-redis-'));
  const keeper = spawn('/bin/sh', ['-c', KEEPER, 'keeper', root], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  await once(keeper, 'spawn');
  keeper.unref();
  if (keeper.stdin instanceof Socket) keeper.stdin.unref();
  let directories = 0;
  return {
    host: '127.0.0.1',
    bind: '127.0.0.1',
    directory: async (files) => {
      directories += 1;
      const directory = join(root, String(directories));
      await mkdir(directory);
      for (const [name, content] of Object.entries(files)) {
        await writeFile(join(directory, name), content, { mode: 0o600 });
      }
      return directory;
    },
    start: (directory, args) =>
      startGuarded({ command, args, cwd: directory, env: { ...process.env, ...env } }),
    close: async () => {
      if (keeper.exitCode !== null || keeper.signalCode !== null) return;
      keeper.ref();
      keeper.stdin.end();
      await once(keeper, 'exit');
    },
  };
}

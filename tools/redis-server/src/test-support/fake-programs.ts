import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';

/** A temporary directory whose `bin` holds shell scripts under the names of real programs. */
export interface FakePrograms {
  readonly root: string;
  readonly bin: string;
  /** Writes a program; `script` is the text of a shell script. */
  program(name: string, script: string): Promise<void>;
  /** A `redis-server` or `valkey-server` that says which version it is. */
  server(name: string, versionLine: string): Promise<void>;
  /** Puts them before everything else on the PATH of this test file. */
  first(): void;
  remove(): Promise<void>;
}

export async function fakePrograms(): Promise<FakePrograms> {
  const root = await mkdtemp(join(tmpdir(), 'rs-fake-'));
  const bin = join(root, 'bin');
  const path = process.env['PATH'];
  await mkdir(bin);
  const program = async (name: string, script: string): Promise<void> => {
    await writeFile(join(bin, name), `#!/bin/sh\n${script}\n`);
    await chmod(join(bin, name), 0o755);
  };
  return {
    root,
    bin,
    program,
    server: (name, versionLine) => program(name, `echo "${versionLine}"`),
    first: () => {
      process.env['PATH'] = [bin, path].join(delimiter);
    },
    remove: async () => {
      process.env['PATH'] = path;
      await rm(root, { recursive: true, force: true });
    },
  };
}

import { execFile } from 'node:child_process';
import { join } from 'node:path';

const ARGUMENTS = ['--conditions=@rs/source', '--import', 'tsx', join(__dirname, '../main.ts')];

export interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs the suite as `npm run conformance` does, with pipes in the place of a terminal. */
export function conformance(
  args: readonly string[],
  variables: Readonly<Record<string, string>> = {},
): Promise<Ended> {
  const env = { ...process.env, NO_COLOR: '1', FORCE_COLOR: undefined, ...variables };
  return new Promise((resolve) => {
    execFile(process.execPath, [...ARGUMENTS, ...args], { env, timeout: 60_000 }, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr });
    });
  });
}

import { execFile } from 'node:child_process';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const HOME = fileURLToPath(new URL('../..', import.meta.url));

/**
 * Builds the program of the child processes, as `tsdown.config.ts` says.
 *
 * @returns its path
 */
export async function buildWorker(): Promise<string> {
  const tsdown = createRequire(import.meta.url).resolve('tsdown/run');
  await promisify(execFile)(process.execPath, [tsdown, '--logLevel', 'error'], { cwd: HOME });
  return `${HOME}dist/worker.mjs`;
}

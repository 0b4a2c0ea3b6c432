import { execFile } from 'node:child_process';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const CONFIG = fileURLToPath(new URL('../../tsdown.worker.ts', import.meta.url));

/**
 * Builds the program of the child processes of a suite, its `src/worker/main.ts`, as `tsdown.worker.ts` says.
 *
 * @param folder that of the suite
 * @returns path of the program
 */
export async function buildWorker(folder: string): Promise<string> {
  const tsdown = createRequire(import.meta.url).resolve('tsdown/run');
  const args = [tsdown, '--config', CONFIG, '--logLevel', 'error'];
  await promisify(execFile)(process.execPath, args, { cwd: folder });
  return join(folder, 'dist', 'worker.mjs');
}

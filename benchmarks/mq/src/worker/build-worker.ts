import { fileURLToPath } from 'node:url';
import { build } from 'tsdown';

/**
 * Builds the program of the child processes with the tool and the target that packages are published with, from their sources: a
 * loader of TypeScript would add calls of its own, and what is measured would not be what users run.
 *
 * @returns its path
 */
export async function buildWorker(): Promise<string> {
  const outDir = fileURLToPath(new URL('../../dist', import.meta.url));
  await build({
    config: false,
    cwd: fileURLToPath(new URL('../..', import.meta.url)),
    entry: { worker: 'src/worker/main.ts' },
    outDir,
    format: 'esm',
    platform: 'node',
    target: 'es2022',
    dts: false,
    sourcemap: true,
    clean: true,
    logLevel: 'error',
    noExternal: [/^@rs\//],
    inputOptions: { resolve: { conditionNames: ['@rs/source', 'node', 'import', 'default'] } },
  });
  return `${outDir}/worker.mjs`;
}

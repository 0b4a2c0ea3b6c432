import { cwd } from 'node:process';
import { defineConfig, type UserConfig } from 'tsdown';

/**
 * The program of the child processes, from the sources of all packages, with the tool and the target that these are published with: a
 * loader of TypeScript would add calls of its own, and what is measured would not be what users run.
 */
export default defineConfig({
  // Of the suite that is built, not that of this file.
  cwd: cwd(),
  entry: { worker: 'src/worker/main.ts' },
  format: 'esm',
  platform: 'node',
  target: 'es2022',
  dts: false,
  sourcemap: true,
  clean: true,
  outDir: 'dist',
  noExternal: [/^@rs\//],
  inputOptions: { resolve: { conditionNames: ['@rs/source', 'node', 'import', 'default'] } },
}) as UserConfig;

import { defineConfig, type UserConfig } from 'tsdown';

/**
 * Every package ships ESM and CommonJS, each with its own types; dependencies stay imports.
 *
 * @param entry source of each entry point by the name of its file in `dist`
 */
export function libraryConfig(entry: Record<string, string>): UserConfig {
  return defineConfig({
    entry,
    format: ['esm', 'cjs'],
    platform: 'neutral',
    // What Node.js brings along is no dependency that could be missing.
    deps: { neverBundle: [/^node:/] },
    target: 'es2022',
    dts: true,
    sourcemap: true,
    clean: true,
    outDir: 'dist',
  }) as UserConfig;
}

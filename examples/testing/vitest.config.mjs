import { defineConfig } from 'vitest/config';

// Packages of this workspace are read from their sources; a project that installs them needs no conditions.
const conditions = ['@rs/source', 'node', 'import', 'default'];

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    include: ['src/**/*.vitest.test.ts'],
    reporters: ['default', '../../tools/ci/vitest-count-reporter.mjs'],
  },
});

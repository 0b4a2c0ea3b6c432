import eslint from '@eslint/js';
import nx from '@nx/eslint-plugin';
import prettier from 'eslint-config-prettier';
import { defineConfig, globalIgnores } from 'eslint/config';
import jsoncParser from 'jsonc-eslint-parser';
import { tsImport } from 'tsx/esm/api';
import tseslint from 'typescript-eslint';

// Written in TypeScript, so that they are type-checked and tested like everything else; nothing is built for lint.
const { depConstraints, rules } = await tsImport('./tools/lint-rules/src/index.ts', import.meta.url);

const SOURCES = ['**/src/**/*.ts'];
const TESTS = ['**/src/**/*.test.ts', '**/src/**/*.test-d.ts', '**/src/**/test-support/**/*.ts'];

const boundaries = (files) => ['error', { allow: [], depConstraints: depConstraints(files) }];

export default defineConfig(
  globalIgnores([
    '**/dist/',
    '**/out-tsc/',
    '**/coverage/',
    '**/test-results/',
    '**/.doc-snippets-*/',
    '.nx/',
  ]),

  { plugins: { '@nx': nx, rs: { rules } } },

  {
    files: ['**/*.{ts,cjs,mjs}'],
    extends: [eslint.configs.recommended],
    linterOptions: { reportUnusedDisableDirectives: 'error' },
    rules: {
      eqeqeq: 'error',
      'max-lines': ['error', { max: 600 }],
      'rs/no-export-star': 'error',
    },
  },
  { files: ['**/*.generated.ts'], rules: { 'max-lines': 'off' } },
  {
    files: ['**/*.cjs'],
    languageOptions: {
      globals: { module: 'writable', process: 'readonly', require: 'readonly', __dirname: 'readonly' },
    },
  },
  { files: ['**/*.ts'], languageOptions: { parser: tseslint.parser } },

  {
    files: SOURCES,
    extends: [tseslint.configs.recommendedTypeChecked],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      '@nx/enforce-module-boundaries': boundaries('production'),
      '@typescript-eslint/consistent-type-imports': ['error', { disallowTypeAnnotations: false }],
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/no-misused-promises': 'error',
      '@typescript-eslint/no-non-null-assertion': 'error',
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
      // A default is a decision about all other members; without one every member must be listed.
      '@typescript-eslint/switch-exhaustiveness-check': [
        'error',
        { considerDefaultExhaustiveForUnions: true },
      ],
      // tsc reports them (noUnusedLocals, noUnusedParameters).
      '@typescript-eslint/no-unused-vars': 'off',
      // An async function without await is how a synchronous implementation meets an interface of promises.
      '@typescript-eslint/require-await': 'off',
      'rs/no-ambient-time': 'error',
      'rs/no-default-export': 'error',
      'rs/no-double-assertion': 'error',
    },
  },
  { files: ['packages/*/src/**/*.ts'], rules: { 'no-console': 'error', 'rs/no-bare-error': 'error' } },
  {
    files: TESTS,
    rules: {
      '@nx/enforce-module-boundaries': boundaries('tests'),
      'rs/no-bare-error': 'off',
      'rs/no-unfinished-test': 'error',
      // Tests hand over on purpose what users hand over by mistake: async functions, things thrown that are no errors.
      '@typescript-eslint/no-misused-promises': ['error', { checksVoidReturn: false }],
      // … and methods taken off their objects, as destructuring does.
      '@typescript-eslint/unbound-method': 'off',
      '@typescript-eslint/only-throw-error': 'off',
      '@typescript-eslint/prefer-promise-reject-errors': 'off',
    },
  },

  // `test` of node:test returns a promise that the runner awaits.
  {
    files: ['**/src/**/*.node.test.ts'],
    rules: {
      '@typescript-eslint/no-floating-promises': [
        'error',
        { allowForKnownSafeCalls: [{ from: 'package', name: 'test', package: 'node:test' }] },
      ],
    },
  },

  // The homes of the machine's clock and of its randomness; benchmarks measure real time, and so may tests of tools.
  {
    files: [
      'packages/core/src/time/clock.ts',
      'packages/runtime/src/random.ts',
      'packages/redis/src/monotonic.ts',
      'packages/redis/src/random.ts',
      'packages/mq/src/random.ts',
      'packages/mq/src/time/timers.ts',
      'benchmarks/**/*.ts',
      'tools/chaos/src/time/now.ts',
      'tools/*/src/**/*.test.ts',
    ],
    rules: { 'rs/no-ambient-time': 'off' },
  },

  {
    files: ['packages/*/package.json'],
    languageOptions: { parser: jsoncParser },
    rules: {
      '@nx/dependency-checks': [
        'error',
        // Users give @rs/redis their instance of ioredis; that it is imported nowhere is the point.
        { buildTargets: ['build'], ignoredDependencies: ['ioredis'] },
      ],
    },
  },

  prettier,
);

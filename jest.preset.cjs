/** One Jest setup for all projects: SWC for speed, the source condition so that nothing needs building first. */
module.exports = {
  testEnvironment: 'node',
  testEnvironmentOptions: {
    customExportConditions: ['@rs/source', 'node', 'node-addons', 'require', 'default'],
  },
  testMatch: ['<rootDir>/src/**/*.test.ts'],
  // `npm run test:unit`: neither what needs a Redis, nor the long runs of random data.
  testPathIgnorePatterns:
    process.env.RS_TESTS === 'unit'
      ? ['/node_modules/', '\\.(redis|property|model)\\.test\\.ts$']
      : ['/node_modules/'],
  passWithNoTests: process.env.RS_TESTS === 'unit',
  // Only for tests that hang: on a busy machine a property test may take longer than the usual five seconds.
  testTimeout: 60_000,
  reporters: ['default', require.resolve('./tools/ci/count-reporter.cjs')],
  transform: {
    '^.+\\.ts$': [
      '@swc/jest',
      {
        jsc: {
          parser: { syntax: 'typescript' },
          target: 'es2022',
          keepClassNames: true,
        },
        module: { type: 'commonjs' },
        sourceMaps: 'inline',
      },
    ],
  },
  transformIgnorePatterns: ['/node_modules/'],
};

module.exports = {
  ...require('../../jest.preset.cjs'),
  displayName: 'example-testing',
  rootDir: __dirname,
  testMatch: ['<rootDir>/src/**/*.jest.test.ts'],
};

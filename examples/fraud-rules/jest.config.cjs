module.exports = {
  ...require('../../jest.preset.cjs'),
  displayName: 'example-fraud-rules',
  rootDir: __dirname,
};

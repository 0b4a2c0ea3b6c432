module.exports = { ...require('../../jest.preset.cjs'), displayName: 'lint-rules', rootDir: __dirname };

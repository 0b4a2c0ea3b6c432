module.exports = { ...require('../../jest.preset.cjs'), displayName: 'bench-harness', rootDir: __dirname };

module.exports = { ...require('../../jest.preset.cjs'), displayName: 'bench-memory', rootDir: __dirname };

module.exports = { ...require('../../jest.preset.cjs'), displayName: 'runtime-memory', rootDir: __dirname };

module.exports = { ...require('../../jest.preset.cjs'), displayName: 'bench-state', rootDir: __dirname };

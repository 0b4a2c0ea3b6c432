module.exports = { ...require('../../jest.preset.cjs'), displayName: 'runtime-redis', rootDir: __dirname };

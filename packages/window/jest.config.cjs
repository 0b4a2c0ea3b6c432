module.exports = { ...require('../../jest.preset.cjs'), displayName: 'window', rootDir: __dirname };

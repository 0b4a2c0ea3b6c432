module.exports = { ...require('../../jest.preset.cjs'), displayName: 'package-check', rootDir: __dirname };

module.exports = { ...require('../../jest.preset.cjs'), displayName: 'chaos', rootDir: __dirname };

module.exports = { ...require('../../jest.preset.cjs'), displayName: 'example-flights', rootDir: __dirname };

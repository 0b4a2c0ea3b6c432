module.exports = { ...require('../../jest.preset.cjs'), displayName: 'cep', rootDir: __dirname };

module.exports = { ...require('../../jest.preset.cjs'), displayName: 'bench-cep', rootDir: __dirname };

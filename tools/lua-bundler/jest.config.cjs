module.exports = { ...require('../../jest.preset.cjs'), displayName: 'lua-bundler', rootDir: __dirname };

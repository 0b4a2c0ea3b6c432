module.exports = { ...require('../../jest.preset.cjs'), displayName: 'doc-snippets', rootDir: __dirname };

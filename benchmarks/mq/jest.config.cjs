module.exports = { ...require('../../jest.preset.cjs'), displayName: 'bench-mq', rootDir: __dirname };

module.exports = { ...require('../../jest.preset.cjs'), displayName: 'mq', rootDir: __dirname };

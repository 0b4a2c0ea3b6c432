module.exports = { ...require('../../jest.preset.cjs'), displayName: 'redis-server', rootDir: __dirname };

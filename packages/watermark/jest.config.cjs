module.exports = { ...require('../../jest.preset.cjs'), displayName: 'watermark', rootDir: __dirname };

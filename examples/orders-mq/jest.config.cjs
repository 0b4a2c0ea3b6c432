module.exports = {
  ...require('../../jest.preset.cjs'),
  displayName: 'example-orders-mq',
  rootDir: __dirname,
};

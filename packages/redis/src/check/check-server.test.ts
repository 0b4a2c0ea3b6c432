import { describe, expect, jest, test } from '@jest/globals';
import { silentLogger } from '@rs/core';
import { type FakeServer, SOUND, clientOf } from '../test-support/fake-servers.ts';
import { checkServer } from './check-server.ts';

const sound: FakeServer = {
  info: SOUND,
  config: { 'maxmemory-policy': 'noeviction', save: '' },
  commands: [],
};
const like = (info: object): FakeServer => ({ ...sound, info: { ...SOUND, ...info } });

test('a sound server: what it is and what it can do, and nothing to warn of', async () => {
  await expect(checkServer(clientOf([sound]))).resolves.toEqual({
    servers: [{ node: { host: '10.0.0.1', port: 7000 }, product: 'redis', version: '7.0.15' }],
    capabilities: { xackdel: false, xnack: false, hpexpire: false, xreadgroupClaim: false, waitaof: false },
    warnings: [],
  });
});

describe('version', () => {
  test.each([
    ['Redis 7.0', { redis_version: '7.0.0' }],
    ['Redis 10', { redis_version: '10.1.0' }],
    ['Valkey 7.2', { redis_version: '7.2.4', valkey_version: '7.2.5' }],
    ['Valkey 8', { redis_version: '7.2.4', valkey_version: '8.0.1', server_name: 'valkey' }],
  ])('%s is taken', async (_, info) => {
    await expect(checkServer(clientOf([like(info)]))).resolves.toMatchObject({ warnings: [] });
  });

  test.each([
    ['Redis 6.2.14; @rs needs 7.0', { redis_version: '6.2.14' }],
    ['Valkey 7.1.9; @rs needs 7.2', { redis_version: '7.2.4', valkey_version: '7.1.9' }],
    ['Redis unknown', { redis_version: 'unknown' }],
    ['KeyDB 6.3.4', { redis_version: '6.3.4', mvcc_depth: '0' }],
  ])('%s is refused', async (message, info) => {
    await expect(checkServer(clientOf([like(info)]))).rejects.toMatchObject({
      code: 'RS_REDIS_UNSUPPORTED',
      message: expect.stringContaining(`Redis 10.0.0.1:7000: this is ${message}`),
    });
  });

  test('Dragonfly is warned of', async () => {
    const { warnings, servers } = await checkServer(
      clientOf([like({ redis_version: '7.4.0', dragonfly_version: 'df-v1.30.0' })]),
    );
    expect(servers).toMatchObject([{ product: 'dragonfly', version: 'df-v1.30.0' }]);
    expect(warnings).toMatchObject([{ code: 'product', level: 'warning', subject: '10.0.0.1:7000' }]);
  });
});

describe('set up so that it cannot work', () => {
  test.each([
    ['a cluster behind a client for one server', 'single', { cluster_enabled: 1 }, 'make a Cluster'],
    ['one server behind a client for a cluster', 'cluster', {}, 'make a Redis'],
    [
      'a replica',
      'single',
      { role: 'slave', master_host: 'db', master_port: 6379 },
      'this is a replica of db:6379',
    ],
    ['a Sentinel', 'single', { redis_mode: 'sentinel', role: 'sentinel' }, 'this is a Sentinel'],
    [
      'an AOF that fails',
      'single',
      { aof_last_write_status: 'err' },
      'its append-only file cannot be written',
    ],
    ['a snapshot that failed', 'single', { rdb_last_bgsave_status: 'err' }, 'its last RDB snapshot failed'],
  ] as const)('%s', async (_, topology, info, message) => {
    await expect(checkServer(clientOf([like(info)], topology))).rejects.toMatchObject({
      code: 'RS_REDIS_CONFIG',
      message: expect.stringContaining(message),
    });
  });

  test('every master is looked at, and all errors are told', async () => {
    const other: FakeServer = { ...sound, config: { 'maxmemory-policy': 'volatile-lru' } };
    await expect(checkServer(clientOf([sound, other, like({ role: 'slave' })]))).rejects.toMatchObject({
      message: expect.stringMatching(
        /^Redis 10\.0\.0\.1:7001: maxmemory-policy is volatile-lru.*\nRedis 10\.0\.0\.1:7002:/,
      ),
      details: { findings: [{ code: 'eviction' }, { code: 'role' }] },
    });
  });
});

describe('eviction', () => {
  const lru: FakeServer = { ...sound, config: { 'maxmemory-policy': 'allkeys-lru', save: '' } };

  test('is refused, or with allowEviction warned of', async () => {
    await expect(checkServer(clientOf([lru]))).rejects.toMatchObject({
      code: 'RS_REDIS_CONFIG',
      message: expect.stringContaining('allowEviction: true'),
    });
    const logger = { ...silentLogger, warn: jest.fn() };
    const { warnings } = await checkServer(clientOf([lru]), { allowEviction: true, logger });
    expect(warnings).toMatchObject([{ code: 'eviction', level: 'warning' }]);
    expect(logger.warn).toHaveBeenCalledTimes(1);
    expect(logger.warn).toHaveBeenCalledWith(warnings[0], expect.stringContaining('allkeys-lru'));
  });

  test('where CONFIG is forbidden, INFO tells the policy', async () => {
    const managed: FakeServer = { ...like({ maxmemory_policy: 'allkeys-lru' }), config: undefined };
    await expect(checkServer(clientOf([managed]))).rejects.toMatchObject({ code: 'RS_REDIS_CONFIG' });
    await expect(checkServer(clientOf([{ ...sound, config: undefined }]))).resolves.toMatchObject({
      warnings: [],
    });
  });

  test('where nothing tells, that is a warning', async () => {
    const silent: FakeServer = { ...like({ maxmemory_policy: '' }), config: {} };
    const info = { ...silent.info };
    delete info.maxmemory_policy;
    const { warnings } = await checkServer(clientOf([{ ...silent, info }]));
    expect(warnings).toMatchObject([{ code: 'config-hidden' }]);
  });
});

test.each([
  ['neither AOF nor RDB', { 'maxmemory-policy': 'noeviction', save: '' }, /^neither AOF nor RDB/],
  ['RDB', { 'maxmemory-policy': 'noeviction', save: '3600 1' }, /^RDB snapshots only \(save 3600 1\)/],
  ['unknown', undefined, /CONFIG GET does not tell/],
])('without AOF, persistence is warned of: %s', async (_, config, message) => {
  const { warnings } = await checkServer(clientOf([{ ...like({ aof_enabled: 0 }), config }]));
  expect(warnings).toMatchObject([{ code: 'persistence', message: expect.stringMatching(message) }]);
});

describe('capabilities', () => {
  test('are what all masters have', async () => {
    const one: FakeServer = { ...like({ redis_version: '8.4.0' }), commands: ['XACKDEL', 'WAITAOF'] };
    const two: FakeServer = { ...like({ redis_version: '8.6.0' }), commands: ['XACKDEL', 'HPEXPIRE'] };
    const { capabilities } = await checkServer(clientOf([one, two]));
    expect(capabilities).toEqual({
      xackdel: true,
      xnack: false,
      hpexpire: false,
      xreadgroupClaim: true,
      waitaof: false,
    });
  });

  test.each([
    [
      'of Valkey',
      { ...like({ redis_version: '8.4.0', valkey_version: '9.0.0' }), commands: ['HPEXPIRE'] },
      true,
      false,
    ],
    ['that may not be asked for', { ...like({ redis_version: '8.4.0' }), commands: undefined }, false, true],
  ])('%s', async (_, server, hpexpire, xreadgroupClaim) => {
    const { capabilities } = await checkServer(clientOf([server]));
    expect(capabilities).toMatchObject({ hpexpire, xreadgroupClaim, xackdel: false });
  });
});

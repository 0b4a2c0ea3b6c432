import { describe, expect, test } from '@jest/globals';
import { RsError } from '@rs/core';
import { type FakeServer, SOUND, clientOf } from '../test-support/fake-servers.ts';
import { doctor } from './doctor.ts';

const sound: FakeServer = {
  info: SOUND,
  config: { 'maxmemory-policy': 'noeviction', save: '' },
  commands: [],
};
const like = (info: object): FakeServer => ({ ...sound, info: { ...SOUND, ...info } });

/** Stands still, at the time of the fake servers unless told otherwise. */
const at = (now: number, step = 0) => ({ now: () => (now += step) });
const CLOCK = at(1_700_000_000_000);

const find = async (server: FakeServer, code: string, clock = CLOCK) =>
  (await doctor(clientOf([server]), { clock })).filter((finding) => finding.code === code);

test('a sound server: all of it is said to be so', async () => {
  const findings = await doctor(clientOf([sound]), { clock: CLOCK });
  expect(findings.map(({ code, level }) => `${code} ${level}`)).toEqual([
    'version ok',
    'topology ok',
    'role ok',
    'eviction ok',
    'persistence ok',
    'clock ok',
    'latency ok',
    'memory ok',
    'replication ok',
  ]);
  for (const { subject, advice } of findings) expect([subject, advice]).toEqual(['10.0.0.1:7000', '']);
});

test('what would refuse the start is told, not thrown', async () => {
  const findings = await doctor(clientOf([like({ redis_version: '6.0.0', role: 'slave' })]), {
    clock: CLOCK,
  });
  expect(findings.filter(({ level }) => level === 'error').map(({ code }) => code)).toEqual([
    'version',
    'role',
  ]);
});

describe('clock', () => {
  test.each([
    [0, 'ok', '0 ms ahead of ours'],
    [-900, 'ok', '900 ms ahead of ours'],
    [-1_500, 'warning', '1500 ms ahead of ours'],
    [60_000, 'warning', '60000 ms behind ours'],
  ])('ours off by %i ms is %s', async (offset, level, message) => {
    await expect(find(sound, 'clock', at(1_700_000_000_000 + offset))).resolves.toMatchObject([
      { level, message: `its clock is ${message}` },
    ]);
  });
});

test.each([
  [5, 'ok'],
  [25, 'warning'],
])('a PING of %i ms is %s', async (step, level) => {
  await expect(find(sound, 'latency', at(1_700_000_000_000, step))).resolves.toMatchObject([
    { level, message: `PING takes ${step} ms` },
  ]);
});

describe('memory', () => {
  const MIB = 1024 * 1024;
  test.each([
    [79, 100, 0, 'ok'],
    [80, 100, 0, 'warning'],
    [95, 100, 0, 'error'],
    [90, 0, 100, 'warning'],
    [90, 0, 0, 'ok'],
  ])('%i of %i MiB, the machine has %i: %s', async (used, max, system, level) => {
    const server = like({ used_memory: used * MIB, maxmemory: max * MIB, total_system_memory: system * MIB });
    await expect(find(server, 'memory')).resolves.toMatchObject([{ level }]);
  });
});

describe('replication', () => {
  test.each([
    ['in step', { connected_slaves: 1, slave0: 'ip=10.0.0.2,port=6379,state=online,offset=14,lag=1' }, 'ok'],
    [
      'late',
      { connected_slaves: 1, slave0: 'ip=10.0.0.2,port=6379,state=online,offset=14,lag=30' },
      'warning',
    ],
    [
      'one that has no data yet',
      {
        connected_slaves: 2,
        slave0: 'ip=10.0.0.2,port=6379,state=online,offset=14,lag=0',
        slave1: 'ip=10.0.0.3,port=6379,state=wait_bgsave,offset=0,lag=0',
      },
      'warning',
    ],
  ])('%s', async (_, info, level) => {
    await expect(find(like(info), 'replication')).resolves.toMatchObject([{ level }]);
  });
});

describe('a server that does not answer', () => {
  test('is one finding, beside those on the others', async () => {
    const failure = new RsError('RS_REDIS_TIMEOUT', 'INFO got no reply within 500 ms');
    const findings = await doctor(clientOf([sound, { failure }]), { clock: CLOCK });
    expect(findings.filter(({ subject }) => subject === '10.0.0.1:7001')).toMatchObject([
      { code: 'unreachable', level: 'error', message: failure.message },
    ]);
    expect(findings.length).toBeGreaterThan(5);
  });

  test.each([
    ['RS_REDIS_AUTH', 'unreachable', /^check user and password/],
    ['RS_REDIS_UNAVAILABLE', 'unreachable', /^check address/],
    ['RS_REDIS_CONFIG', 'topology', /^make the ioredis instance/],
  ] as const)('%s, and nothing else can be said', async (code, finding, advice) => {
    const client = { ...clientOf([]), masters: async () => Promise.reject(new RsError(code, 'no')) };
    await expect(doctor(client)).resolves.toEqual([
      {
        code: finding,
        level: 'error',
        subject: 'redis',
        message: 'no',
        advice: expect.stringMatching(advice),
      },
    ]);
  });

  test('a closed client is the end of it', async () => {
    const client = {
      ...clientOf([]),
      masters: async () => Promise.reject(new RsError('RS_CLOSED', 'closed')),
    };
    await expect(doctor(client)).rejects.toMatchObject({ code: 'RS_CLOSED' });
  });
});

import { afterEach, expect, test } from '@jest/globals';
import { Redis } from 'ioredis';
import { setOnReplica } from '../test-support/set-on-replica.ts';
import { type SentinelOptions, type SentinelSetup, startSentinel } from './sentinel.ts';

let setup: SentinelSetup | undefined;

async function start(options: SentinelOptions = {}): Promise<SentinelSetup> {
  setup = await startSentinel(options);
  return setup;
}

afterEach(async () => {
  await setup?.stop();
  setup = undefined;
});

test('a client finds the master through a Sentinel, and replicas have what it has', async () => {
  const { master, masterName, replicas, sentinels } = await start({ replicas: 2 });
  const client = new Redis({
    name: masterName,
    sentinels: sentinels.map(({ host, port }) => ({ host, port })),
  });
  await client.set('a', '1');
  expect(await client.wait(2, 5000)).toBe(2);
  client.disconnect();
  expect(await master.cli('GET', 'a')).toBe('1');
  expect(replicas).toHaveLength(2);
  for (const replica of replicas) expect(await replica.cli('GET', 'a')).toBe('1');
});

test('failover makes a replica the master and the master a replica, and back', async () => {
  const servers = await start({
    requirepass: 'p w',
    acl: [{ user: 'u', password: 'q', rules: ['+@all', '~*'] }],
  });
  const first = servers.master;
  const second = await servers.failover();
  expect(servers.master).toBe(second);
  expect(servers.replicas).toEqual([first]);
  expect(await second.cli('SET', 'a', '1')).toBe('OK');
  await expect(first.cli('SET', 'a', '1')).rejects.toThrow('READONLY');
  expect(await servers.failover()).toBe(first);
  expect(await first.cli('SET', 'a', '2')).toBe('OK');
});

test('a killed master is replaced by agreement of the Sentinels', async () => {
  const servers = await start({ sentinels: 3 });
  const old = servers.master;
  await setOnReplica(old, 'a', '1');
  await old.kill();
  const master = await servers.newMaster();
  expect(master).not.toBe(old);
  expect(await master.cli('GET', 'a')).toBe('1');
  expect(await master.cli('SET', 'a', '2')).toBe('OK');
});

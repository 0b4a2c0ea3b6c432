import { afterEach, describe, expect, test } from '@jest/globals';
import { Cluster } from 'ioredis';
import { setOnReplica } from '../test-support/set-on-replica.ts';
import { type ClusterOptions, type ClusterSetup, startCluster } from './cluster.ts';

let cluster: ClusterSetup | undefined;

async function start(options: ClusterOptions = {}): Promise<ClusterSetup> {
  cluster = await startCluster(options);
  return cluster;
}

function at<T>(list: readonly T[], index: number): T {
  const found = list[index];
  if (found === undefined) throw new Error(`nothing at ${index}`);
  return found;
}

afterEach(async () => {
  await cluster?.stop();
  cluster = undefined;
});

/** The slot of the hash tag `{a}`. */
const SLOT_OF_A = 15_495;

describe('three masters', () => {
  test('share the slots, and a client finds every key', async () => {
    const setup = await start();
    expect(setup.nodes).toHaveLength(3);
    const client = new Cluster(setup.nodes.map(({ host, port }) => ({ host, port })));
    for (const key of ['a', 'b', 'c', 'd']) expect(await client.set(key, `value of ${key}`)).toBe('OK');
    for (const key of ['a', 'b', 'c', 'd']) expect(await client.get(key)).toBe(`value of ${key}`);
    client.disconnect();
  });

  test('a slot moves with its keys; on the way its owner sends clients ahead for keys that have gone', async () => {
    const setup = await start({ requirepass: 'secret' });
    const from = await setup.ownerOf(SLOT_OF_A);
    const to = at(setup.nodes, 0);
    expect(from).not.toBe(to);
    for (let index = 0; index < 250; index += 1) await from.cli('SET', `{a}:${index}`, String(index));

    const move = await setup.startMove(SLOT_OF_A, to);
    expect(await from.cli('GET', '{a}:7')).toBe('7');
    await expect(from.cli('GET', '{a}:absent')).rejects.toThrow(`ASK ${SLOT_OF_A} ${to.host}:${to.port}`);
    await expect(to.cli('GET', '{a}:7')).rejects.toThrow('MOVED');

    await move.finish();
    expect(await to.cli('GET', '{a}:249')).toBe('249');
    await expect(from.cli('GET', '{a}:7')).rejects.toThrow(`MOVED ${SLOT_OF_A} ${to.host}:${to.port}`);
    expect(await setup.ownerOf(SLOT_OF_A)).toBe(to);
    await setup.ready();
  });

  test('without a node the cluster is down, and whole again when it is back', async () => {
    const setup = await start({ persistence: 'aof' });
    const [first, last] = [at(setup.nodes, 0), at(setup.nodes, 2)];
    await last.cli('SET', 'a', '1');
    await last.kill();
    await expect(last.cli('PING')).rejects.toThrow();
    await last.restart();
    await setup.ready();
    expect(await last.cli('GET', 'a')).toBe('1');
    await expect(first.cli('GET', 'a')).rejects.toThrow(`MOVED ${SLOT_OF_A}`);
  });
});

describe('with replicas', () => {
  test('a replica takes over for a master that was killed', async () => {
    const setup = await start({ replicas: 1 });
    expect(setup.nodes).toHaveLength(6);
    const master = await setup.ownerOf(SLOT_OF_A);
    await setOnReplica(master, 'a', '1');
    await master.kill();
    await setup.ready();
    const successor = await setup.ownerOf(SLOT_OF_A);
    expect(successor).not.toBe(master);
    expect(await successor.cli('GET', 'a')).toBe('1');
  });
});

import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { type ClusterSetup, startCluster } from '@rs/redis-server';
import { Cluster } from 'ioredis';
import { slotOf } from '../slot/slot-of.ts';
import { appendOnce, numbers, realScript } from '../test-support/real-script.ts';
import { untilBlocked } from '../test-support/until-blocked.ts';
import type { RedisClient } from './client.ts';
import { createRedisClient } from './create-redis-client.ts';

let cluster: ClusterSetup;
let client: RedisClient;

beforeAll(async () => {
  cluster = await startCluster({ masters: 3, replicas: 1 });
});
afterEach(() => client.close());
afterAll(() => cluster.stop());

function connect(): RedisClient {
  const seeds = cluster.nodes.map(({ host, port }) => ({ host, port }));
  client = createRedisClient(new Cluster(seeds, { lazyConnect: true }), {
    commandTimeout: 50_000,
    replyTimeout: 1_000,
  });
  return client;
}

const list = (key: string) => client.command({ name: 'LRANGE', args: [key, 0, -1] }, { key });

async function otherMaster(slot: number) {
  const owner = await cluster.ownerOf(slot);
  const masters = await client.masters();
  const other = cluster.nodes.find(
    ({ port }) => port !== owner.port && masters.some(({ node }) => node.port === port),
  );
  if (other === undefined) throw new Error('there is one master only');
  return other;
}

/** One call after the other for each of some keys, while `change` is under way and a little longer. */
async function runWhile(change: Promise<unknown>, keys: readonly string[]): Promise<number> {
  let over = false;
  const ending = change.then(() => {
    over = true;
  });
  let n = 0;
  for (let more = 20; more > 0; more -= over ? 1 : 0, n++) {
    const replies = await Promise.all(
      keys.map((key) => client.run({ script: appendOnce, keys: [key], args: [String(n)] })),
    );
    for (const reply of replies) expect(reply).toMatch(/^(OK|DUP)$/);
  }
  await ending;
  return n;
}

test('calls for all slots find their nodes, and keys of two are refused', async () => {
  connect();
  const keys = numbers(100).map((n) => `spread-${n}`);
  await Promise.all(keys.map((key) => client.run({ script: appendOnce, keys: [key], args: [key] })));
  await expect(Promise.all(keys.map(list))).resolves.toEqual(keys.map((key) => [key]));
  await expect(client.masters()).resolves.toHaveLength(3);
  await expect(client.run({ script: appendOnce, keys: keys.slice(0, 2), args: ['x'] })).rejects.toMatchObject(
    {
      code: 'RS_REDIS_CROSS_SLOT',
    },
  );
});

test('while slots move, calls go on, in order for each key', async () => {
  connect();
  const keys = ['{moved}:a', '{moved}:b', 'stays'];
  const slot = slotOf('moved');
  await client.run({ script: appendOnce, keys: ['{moved}:ballast'], args: ['x'] });
  const moves = (async () => {
    for (let i = 0; i < 3; i++) await cluster.moveSlot(slot, await otherMaster(slot));
  })();
  const count = await runWhile(moves, keys);
  await expect(Promise.all(keys.map(list))).resolves.toEqual(keys.map(() => numbers(count)));
});

test('a script of several keys waits while its slot is half moved', async () => {
  connect();
  const both = realScript('both', "return {redis.call('GET', KEYS[1]), redis.call('GET', KEYS[2])}");
  const keys = ['{half}:a', '{half}:b'];
  for (const key of keys) await client.command({ name: 'SET', args: [key, key] }, { key });
  const owner = await cluster.ownerOf(slotOf('half'));
  const target = await otherMaster(slotOf('half'));
  const move = await cluster.startMove(slotOf('half'), target);
  await owner.cli('MIGRATE', target.host, String(target.port), '', '0', '5000', 'KEYS', '{half}:a');

  const waiting = client.run({ script: both, keys, args: [] });
  // One key alone is served, wherever it is: by ASK, or where it still lies.
  for (const key of keys)
    await expect(client.command({ name: 'GET', args: [key] }, { key })).resolves.toBe(key);
  await expect(client.run({ script: both, keys, args: [] }, { timeout: 300 })).rejects.toMatchObject({
    code: 'RS_REDIS_TIMEOUT',
    cause: { details: { prefix: 'TRYAGAIN' } },
  });
  await move.finish();
  await expect(waiting).resolves.toEqual(keys);
});

test('a connection of its own follows its key to another node', async () => {
  connect();
  const key = '{followed}';
  const reader = client.dedicated({ key, name: 'reader' });
  const read = () =>
    reader.call({ name: 'XREAD', args: ['BLOCK', 10_000, 'STREAMS', key, '0'] }, { block: 10_000 });
  const blocked = read().catch((error: unknown) => error);
  await untilBlocked(client);
  await cluster.moveSlot(slotOf(key), await otherMaster(slotOf(key)));
  await client.command({ name: 'XADD', args: [key, '1-1', 'a', 'b'] }, { key });
  // Redis ends a read that is parked on a slot which goes away with its MOVED.
  await expect(blocked).resolves.toMatchObject({ code: 'RS_REDIS_REFUSED', details: { prefix: 'MOVED' } });
  await expect(read()).resolves.toEqual([[key, [['1-1', ['a', 'b']]]]]);
});

test('a node that dies: its slots are served by its replica, the others go on meanwhile', async () => {
  connect();
  const victim = await cluster.ownerOf(slotOf('{dying}'));
  const others = numbers(50).map((n) => `alive-${n}`);
  const alive: string[] = [];
  for (const key of others) if ((await cluster.ownerOf(slotOf(key))).port !== victim.port) alive.push(key);
  await client.run({ script: appendOnce, keys: ['{dying}:before'], args: ['x'] });

  await victim.kill();
  const waiting = numbers(5).map((n) => client.run({ script: appendOnce, keys: ['{dying}'], args: [n] }));
  const started = await Promise.all(
    alive.slice(0, 3).map((key) => client.run({ script: appendOnce, keys: [key], args: ['x'] })),
  );
  expect(started).toEqual(['OK', 'OK', 'OK']);
  await expect(Promise.all(waiting)).resolves.toEqual(numbers(5).map(() => 'OK'));
  await expect(list('{dying}')).resolves.toEqual(numbers(5));
});

import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { RsError, silentLogger } from '@rs/core';
import { replyError } from '../driver/reply-error.ts';
import { call, script, watch } from '../test-support/calls.ts';
import { FakeCluster } from '../test-support/fake-cluster.ts';
import type { FakeNode } from '../test-support/fake-node.ts';
import { pass, stopTimers, turn } from '../test-support/turns.ts';
import type { RedisClient } from './client.ts';
import { createRedisClient } from './create-redis-client.ts';

/** Of three nodes that share the slots, they are served by the third, the first and the second. */
const [KEY, FIRST, SECOND] = ['foo', '{user1000}', 'foo{{bar}}zap:second'] as const;

let cluster: FakeCluster;
let client: RedisClient;

beforeEach(() => {
  stopTimers();
  cluster = new FakeCluster();
  client = createRedisClient(cluster.driver, { random: () => 0.5 });
});

afterEach(async () => {
  await client.close();
  jest.useRealTimers();
});

/** Everything that `node` was sent but for questions about the cluster. */
const sent = (node: FakeNode) =>
  node.sends
    .flat()
    .flatMap(({ name, args }) =>
      name === 'CLUSTER' ? [] : [name === 'EVALSHA' ? `run ${String(args[0])}` : name],
    );

describe('the table', () => {
  test('is asked for with the first call, once for all of them', async () => {
    await turn();
    expect(cluster.driver.attempts).toBe(0);
    const replies = await Promise.all([FIRST, KEY, SECOND].map((key) => client.run(call('a', key, '1'))));
    expect(replies).toEqual([`ran ${FIRST} 1`, `ran ${KEY} 1`, `ran ${SECOND} 1`]);
    expect(cluster.asked).toBe(1);
    for (const key of [FIRST, KEY]) expect(cluster.ownerOf(key).executed).toContain(`a ${key} 1`);
  });

  test('each node gets a connection when it is first needed, and its calls of one turn in one send', async () => {
    const calls = ['1', '2', '3'].map((n) => client.run(call('a', KEY, n)));
    await Promise.all(calls);
    const owner = cluster.ownerOf(KEY);
    expect(owner.executed).toEqual([`a ${KEY} 1`, `a ${KEY} 2`, `a ${KEY} 3`]);
    expect(sent(owner)).toEqual(['SCRIPT', 'run sha-a', 'run sha-a', 'run sha-a']);
    expect(cluster.nodes.filter((node) => node.connections > 0)).toEqual([owner]);
  });

  test('keys of several slots are refused before anything is sent', async () => {
    await expect(client.run({ script: script('a'), keys: [KEY, FIRST], args: [] })).rejects.toMatchObject({
      code: 'RS_REDIS_CROSS_SLOT',
      details: { keys: [KEY, FIRST] },
    });
    expect(cluster.driver.attempts).toBe(0);
  });

  test('while nobody can be asked, calls wait, and the deadline tells why', async () => {
    for (const node of cluster.nodes) node.up = false;
    const outcome = watch(client.run(call('a', KEY), { timeout: 2_000 }));
    const patient = watch(client.run(call('a', KEY, 'p')));
    await pass(2_000);
    expect(outcome.now()).toMatchObject({
      code: 'RS_REDIS_UNAVAILABLE',
      message: expect.stringContaining('check address, port'),
      cause: { code: 'RS_REDIS_UNAVAILABLE' },
    });
    for (const node of cluster.nodes) node.up = true;
    await pass(2_000);
    expect(patient.now()).toBe(`ran ${KEY} p`);
  });

  test('a refused password ends the calls that wait, at once', async () => {
    cluster.driver.failure = new RsError('RS_REDIS_AUTH', 'WRONGPASS');
    const outcome = watch(client.run(call('a', KEY)));
    await pass(0);
    expect(outcome.now()).toBe(cluster.driver.failure);
  });

  test('a server that is no node of a cluster is told at once', async () => {
    cluster.rule = (_, { name }) =>
      name === 'CLUSTER' ? replyError('ERR This instance has cluster support disabled') : undefined;
    await expect(client.run(call('a', KEY))).rejects.toMatchObject({
      code: 'RS_REDIS_CONFIG',
      message: expect.stringContaining('make a Redis'),
    });
  });

  test('who the masters are is logged when it changes', async () => {
    const info = jest.fn();
    const own = createRedisClient(cluster.driver, { random: () => 0.5, logger: { ...silentLogger, info } });
    const tables = () => info.mock.calls.filter(([, message]) => String(message).startsWith('the masters'));
    await own.run(call('a', KEY, '0'));
    cluster.assign(KEY, cluster.other(cluster.ownerOf(KEY)));
    await own.run(call('a', KEY, '1'));
    await pass(1_000);
    expect(tables()).toEqual([
      [expect.anything(), 'the masters of the cluster are 127.0.0.1:7000, 127.0.0.1:7001, 127.0.0.1:7002'],
    ]);
    cluster.assign(KEY, cluster.add(7009));
    await own.run(call('a', KEY, '2'));
    await pass(1_000);
    expect(tables()).toHaveLength(2);
    await own.close();
  });

  test('a slot that nobody serves is waited for', async () => {
    const owner = cluster.ownerOf(KEY);
    cluster.assign(KEY, undefined);
    const outcome = watch(client.run(call('a', KEY), { timeout: 3_000 }));
    const short = watch(client.run(call('a', KEY), { timeout: 100 }));
    await pass(500);
    expect(short.now()).toMatchObject({
      code: 'RS_REDIS_UNAVAILABLE',
      message: expect.stringMatching(
        /^script a could not be sent within 100 ms: no node .* serves slot 12182$/,
      ),
    });
    cluster.assign(KEY, owner);
    await pass(2_000);
    expect(outcome.now()).toBe(`ran ${KEY} `.trim());
  });
});

test('a node that says nothing is passed over when the table is asked for', async () => {
  await client.run(call('a', KEY, '0'));
  await client.run(call('a', FIRST, '0'));
  cluster.ownerOf(KEY).auto = false;
  cluster.assign(FIRST, cluster.other(cluster.ownerOf(FIRST)));
  watch(client.run(call('a', FIRST, '1')));
  await pass(1_300);
  expect(cluster.asked).toBe(2);
});

describe('MOVED', () => {
  test('goes on at the new node, is remembered, and the table is refreshed behind it', async () => {
    await client.run(call('a', KEY, '0'));
    const old = cluster.ownerOf(KEY);
    const target = cluster.other(old);
    cluster.assign(KEY, target);

    await expect(client.run(call('a', KEY, '1'))).resolves.toBe(`ran ${KEY} 1`);
    await expect(client.run(call('a', KEY, '2'))).resolves.toBe(`ran ${KEY} 2`);
    expect(sent(target)).toEqual(['SCRIPT', 'run sha-a', 'run sha-a']);
    expect(sent(old)).toEqual(['SCRIPT', 'run sha-a', 'run sha-a']);
    await pass(1_000);
    expect(cluster.asked).toBe(2);
  });

  test('in circles it ends after 16 times', async () => {
    cluster.rule = (node, { name }) =>
      name === 'GET' ? replyError(`MOVED 12182 127.0.0.1:${cluster.other(node).node.port}`) : undefined;
    const outcome = watch(client.command({ name: 'GET', args: [KEY] }, { key: KEY, timeout: 60_000 }));
    await pass(59_000);
    expect(outcome.now()).toMatchObject({
      code: 'RS_REDIS_REFUSED',
      message: expect.stringContaining('more than 16 times'),
    });
    expect(cluster.nodes.flatMap(sent)).toHaveLength(17);
  });

  test('calls that were redirected together keep their order', async () => {
    await client.run(call('a', KEY, '0'));
    cluster.assign(KEY, cluster.other(cluster.ownerOf(KEY)));
    await Promise.all(['1', '2', '3'].map((n) => client.run(call('a', KEY, n))));
    expect(cluster.ownerOf(KEY).executed).toEqual(['1', '2', '3'].map((n) => `a ${KEY} ${n}`));
  });

  test('to an endpoint without a host it is the host that was asked', async () => {
    await client.run(call('a', KEY, '0'));
    const target = cluster.other(cluster.ownerOf(KEY));
    cluster.assign(KEY, target);
    cluster.rule = (node, { name }) =>
      name === 'EVALSHA' && node !== target ? replyError(`MOVED 12182 :${target.node.port}`) : undefined;
    await expect(client.run(call('a', KEY, '1'))).resolves.toBe(`ran ${KEY} 1`);
  });
});

describe('ASK', () => {
  test('goes to the other node behind ASKING, for scripts too, and the table stays', async () => {
    await client.run(call('a', KEY, '0'));
    const old = cluster.ownerOf(KEY);
    const target = cluster.other(old);
    cluster.startMove(KEY, target);

    await expect(client.run(call('a', KEY, '1'))).resolves.toBe(`ran ${KEY} 1`);
    await expect(client.command({ name: 'GET', args: [KEY] }, { key: KEY })).resolves.toBe('OK');
    expect(sent(target)).toEqual(['SCRIPT', 'ASKING', 'run sha-a', 'ASKING', 'GET']);
    expect(sent(old)).toEqual(['SCRIPT', 'run sha-a', 'run sha-a', 'GET']);
    expect(cluster.asked).toBe(1);
  });

  test('calls of one turn each get their ASKING', async () => {
    await client.run(call('a', KEY, '0'));
    const target = cluster.other(cluster.ownerOf(KEY));
    cluster.startMove(KEY, target);
    const replies = await Promise.all(['1', '2'].map((n) => client.run(call('a', KEY, n))));
    expect(replies).toEqual([`ran ${KEY} 1`, `ran ${KEY} 2`]);
    expect(sent(target)).toEqual(['SCRIPT', 'ASKING', 'run sha-a', 'ASKING', 'run sha-a']);
  });

  test('a script that is missing there is loaded there', async () => {
    await client.run(call('a', KEY, '0'));
    const target = cluster.other(cluster.ownerOf(KEY));
    cluster.startMove(KEY, target);
    await client.run(call('a', KEY, '1'));
    target.flushScripts();
    await expect(client.run(call('a', KEY, '2'))).resolves.toBe(`ran ${KEY} 2`);
    expect(sent(target).slice(3)).toEqual(['ASKING', 'run sha-a', 'SCRIPT', 'ASKING', 'run sha-a']);
  });

  test('TRYAGAIN there starts again at the owner, later', async () => {
    await client.run(call('a', KEY, '0'));
    const target = cluster.other(cluster.ownerOf(KEY));
    cluster.startMove(KEY, target);
    let times = 2;
    cluster.rule = (node, { name }) =>
      node === target && name === 'EVALSHA' && times-- > 0
        ? replyError('TRYAGAIN Multiple keys request')
        : undefined;
    const outcome = watch(client.run(call('a', KEY, '1')));
    await pass(200);
    expect(outcome.now()).toBe(`ran ${KEY} 1`);
    expect(target.executed).toEqual([`a ${KEY} 1`]);
  });
});

describe('a node that is gone', () => {
  test('the table of another node says who took over, and its calls go there in order', async () => {
    await client.run(call('a', FIRST, '0'));
    await client.run(call('a', KEY, '0'));
    const old = cluster.ownerOf(KEY);
    const heir = cluster.add(7009);
    old.auto = false;
    const calls = ['1', '2'].map((n) => watch(client.run(call('a', KEY, n))));
    await turn();
    old.up = false;
    old.kill();
    calls.push(watch(client.run(call('a', KEY, '3'))));
    await pass(500);
    expect(calls.map((each) => each.now())).toEqual(['pending', 'pending', 'pending']);
    cluster.takeOver(old, heir);
    await pass(3_000);

    expect(calls.map((each) => each.now())).toEqual(['1', '2', '3'].map((n) => `ran ${KEY} ${n}`));
    expect(heir.executed).toEqual(['1', '2', '3'].map((n) => `a ${KEY} ${n}`));
  });

  test('its connection is closed when it has answered, and not before', async () => {
    await client.run(call('a', FIRST, '0'));
    await client.run(call('a', KEY, '0'));
    const old = cluster.ownerOf(KEY);
    old.auto = false;
    const late = watch(client.command({ name: 'SET', args: [KEY, '1'] }, { key: KEY }));
    await turn();
    cluster.takeOver(old, cluster.other(old));
    // Somebody else's redirection tells about it.
    cluster.rule = (node, { name }) =>
      name === 'GET' && node === cluster.ownerOf(FIRST) ? replyError('CLUSTERDOWN look again') : undefined;
    watch(client.command({ name: 'GET', args: [FIRST] }, { key: FIRST, timeout: 100 }));
    await pass(1_000);
    expect(old.connections).toBe(1);
    old.serveAll();
    await pass(100);
    expect(old.connections).toBe(0);
    expect(late.now()).toBe('OK');
  });

  test('READONLY and MASTERDOWN look for the master again', async () => {
    await client.run(call('a', KEY, '0'));
    const old = cluster.ownerOf(KEY);
    const heir = cluster.other(old);
    cluster.rule = (node, { name }) =>
      name === 'EVALSHA' && node === old ? replyError('READONLY I am a replica now') : undefined;
    const outcome = watch(client.run(call('a', KEY, '1')));
    await pass(10);
    cluster.takeOver(old, heir);
    await pass(1_000);
    expect(outcome.now()).toBe(`ran ${KEY} 1`);
    expect(heir.executed).toContain(`a ${KEY} 1`);
  });
});

describe('commands without a key', () => {
  test('go to any master', async () => {
    await expect(client.command({ name: 'PING', args: [] })).resolves.toBe('OK');
  });

  test('go to each master through its handle, and nowhere else', async () => {
    const masters = await client.masters();
    expect(masters.map(({ node }) => node.port)).toEqual([7000, 7001, 7002]);
    await Promise.all(masters.map((master) => master.command({ name: 'INFO', args: ['server'] })));
    for (const node of cluster.nodes) expect(node.executed).toContain('INFO server');
  });

  test('for a master that is none any more end as unavailable', async () => {
    const [first] = await client.masters();
    const [node] = cluster.nodes;
    if (node === undefined) throw new Error('there is no node');
    node.up = false;
    node.kill();
    cluster.takeOver(node, cluster.other(node));
    const outcome = watch(client.command({ name: 'PING', args: [] }));
    await pass(500);
    expect(outcome.now()).toBe('OK');
    const direct = watch(first?.command({ name: 'INFO', args: [] }) ?? Promise.resolve('no handle'));
    await pass(1_000);
    expect(direct.now()).toMatchObject({ code: 'RS_REDIS_UNAVAILABLE', details: { node: { port: 7000 } } });
  });
});

test('close ends everything, whatever it waits for', async () => {
  await client.run(call('a', KEY, '0'));
  for (const node of cluster.nodes) {
    node.up = false;
    node.kill();
  }
  const outcomes = [KEY, FIRST].map((key) => watch(client.run(call('a', key, '1'))));
  await pass(700);
  await client.close();
  await turn();
  for (const each of outcomes) expect(each.now()).toMatchObject({ code: 'RS_CLOSED' });
  expect(jest.getTimerCount()).toBe(0);
  expect(cluster.nodes.map((node) => node.connections)).toEqual([0, 0, 0]);
});

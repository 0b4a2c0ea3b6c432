import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { type SentinelSetup, startSentinel } from '@rs/redis-server';
import { Redis } from 'ioredis';
import { appendOnce, numbers } from '../test-support/real-script.ts';
import { untilBlocked } from '../test-support/until-blocked.ts';
import type { RedisClient } from './client.ts';
import { createRedisClient } from './create-redis-client.ts';

let setup: SentinelSetup;
let client: RedisClient;

beforeAll(async () => {
  setup = await startSentinel({ replicas: 2, persistence: 'aof', appendfsync: 'always' });
});
afterEach(() => client.close());
afterAll(() => setup.stop());

function connect(): RedisClient {
  const sentinels = setup.sentinels.map(({ host, port }) => ({ host, port }));
  client = createRedisClient(new Redis({ sentinels, name: setup.masterName, lazyConnect: true }), {
    commandTimeout: 50_000,
    replyTimeout: 500,
  });
  return client;
}

/** Runs a call for each number until `changed` is there, and then some more; at most some hundred at once. */
async function runWhile(changed: Promise<unknown>, key: string): Promise<number> {
  const outcomes: Promise<unknown>[] = [];
  let over = false;
  const ending = changed.then(() => {
    over = true;
  });
  for (let more = 50; more > 0; more -= over ? 1 : 0) {
    outcomes.push(client.run({ script: appendOnce, keys: [key], args: [String(outcomes.length)] }));
    if (outcomes.length % 20 === 0) await Promise.race([Promise.all(outcomes), ending]);
    if (outcomes.length > 500) await ending;
  }
  const replies = await Promise.all(outcomes);
  for (const reply of replies) expect(reply).toMatch(/^(OK|DUP)$/);
  return replies.length;
}

/** The new master may miss what the old one had alone; what came after the change it has. */
async function expectOrder(key: string, count: number, after: number): Promise<void> {
  const kept = ((await client.command({ name: 'LRANGE', args: [key, 0, -1] }, { key })) as string[]).map(
    Number,
  );
  expect(kept).toEqual([...kept].sort((a, b) => a - b));
  expect(kept.slice(-after)).toEqual(numbers(count).map(Number).slice(-after));
}

test('a failover on purpose: calls go on at the new master', async () => {
  connect();
  const [before] = await client.masters();
  const count = await runWhile(setup.failover(), 'planned');
  const [after] = await client.masters();
  expect(before?.node.port).not.toBe(after?.node.port);
  expect(after?.node.port).toBe(setup.master.port);
  await expectOrder('planned', count, 40);
});

test('a master that is killed: calls wait for the next one', async () => {
  connect();
  const reader = client.dedicated({ key: 'queue', name: 'reader' });
  const blocked = reader
    .call({ name: 'BLPOP', args: ['queue', 0] }, { block: 60_000 })
    .catch((error: unknown) => error);
  await untilBlocked(client);
  const old = setup.master;
  await old.kill();
  const count = await runWhile(setup.newMaster(), 'killed');
  await expectOrder('killed', count, 40);

  await expect(blocked).resolves.toMatchObject({ code: 'RS_REDIS_CONNECTION_LOST' });
  await client.command({ name: 'RPUSH', args: ['queue', 'x'] });
  await expect(reader.call({ name: 'BLPOP', args: ['queue', 0] }, { block: 20_000 })).resolves.toEqual([
    'queue',
    'x',
  ]);
  await old.restart();
});

import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createRedisClient, type RedisClient } from '@rs/redis';
import { type ClusterSetup, startCluster } from '@rs/redis-server';
import { Cluster } from 'ioredis';
import type { TaskPlace } from '../keys/task-place.ts';
import { address, newCommit } from '../test-support/new-commit.ts';
import { acquireTask } from './acquire-task.ts';
import { TaskStore } from './task-store.ts';

let cluster: ClusterSetup;
let client: RedisClient;

beforeAll(async () => {
  cluster = await startCluster({ masters: 3 });
  const seeds = cluster.nodes.map(({ host, port }) => ({ host, port }));
  client = createRedisClient(new Cluster(seeds, { lazyConnect: true }));
}, 600_000);

afterAll(async () => {
  await client.close();
  await cluster.stop();
});

test('all of a task lies in the slot of its partition', async () => {
  for (const partition of [0, 1, 2, 3]) {
    const place: TaskPlace = {
      prefix: 'rs',
      job: 'job',
      task: 'source-0',
      topic: 'orders',
      partition,
      topicShards: 4,
      group: 'group',
      stateShards: 4,
    };
    const token = `token-${partition}`;
    await expect(acquireTask(client, place, { token, owner: 'tests', ttl: 60_000 })).resolves.toMatchObject({
      type: 'acquired',
    });
    const store = new TaskStore({ client, place, token });
    const value = { layout: 'value', data: 'x', version: 1 } as const;
    const large = address({ state: 'large', onDemand: true, namespace: 's:x' });
    const list = address({ state: 'list', layout: 'elements' });
    const prepared = store.prepare(
      newCommit(1, {
        cells: [
          ...['s:a', 's:b', 's:c{}', '{s'].map(
            (key) => ({ address: address({ key }), op: 'put', stored: value }) as const,
          ),
          { address: large, op: 'put', stored: value },
          {
            address: list,
            op: 'elements',
            clear: true,
            put: [{ id: '0', order: 0, data: 'x' }],
            remove: [],
            version: 1,
          },
        ],
        timers: [{ op: 'add', operator: 'op', kind: 'event', time: 5, key: 's:a', namespace: '' }],
        ops: [
          { type: 'append', key: store.keys.deadLetters, entries: [['a', 'b']] },
          { type: 'hset', key: store.keys.kept('totals'), fields: ['a', 'b'] },
        ],
      }),
    );
    expect(await store.commit(prepared)).toBe('OK');
    const cells = await store.read([address(), large, list]);
    expect(cells).toEqual([
      value,
      value,
      { layout: 'elements', elements: [{ id: '0', order: 0, data: 'x' }], version: 1 },
    ]);
    expect((await store.scan(large, undefined, 10)).cells).toHaveLength(1);
    const [page] = await store.timers([{ operator: 'op', kind: 'event' }], 10);
    expect(page?.timers).toEqual([{ time: 5, key: 's:a', namespace: '' }]);
    await store.mirror({ offset: '1-0', count: 1 });
    expect(await store.release()).toBe(true);
  }
});

import { expect, test } from '@jest/globals';
import { type ClusterSettings, mapped, seedsOf } from './seeds.ts';

const seed = async (node: ClusterSettings['startupNodes'][number]): Promise<unknown> => {
  const [first] = await seedsOf({ startupNodes: [node] });
  return first;
};

test.each([
  [7001, { host: '127.0.0.1', port: 7001 }],
  ['7001', { host: '127.0.0.1', port: 7001 }],
  ['redis-1:7001', { host: 'redis-1', port: 7001 }],
  ['redis-1', { host: 'redis-1', port: 6379 }],
  ['redis://redis-1:7001', { host: 'redis-1', port: 7001 }],
  ['redis://redis-1:7001/3', { host: 'redis-1', port: 7001 }],
  ['redis://u:p%40ss@redis-1', { host: 'redis-1', port: 6379, username: 'u', password: 'p@ss' }],
  ['redis://:secret@redis-1:7001', { host: 'redis-1', port: 7001, password: 'secret' }],
  ['rediss://redis-1:7001', { host: 'redis-1', port: 7001, tls: true }],
  ['redis://[2001:db8::1]:7001', { host: '2001:db8::1', port: 7001 }],
  [{ port: 7001 }, { host: '127.0.0.1', port: 7001 }],
  [{ host: 'redis-1' }, { host: 'redis-1', port: 6379 }],
  [
    { host: 'redis-1', port: 7001, password: 'p' },
    { host: 'redis-1', port: 7001, password: 'p' },
  ],
] as const)('startup node %p', async (node, expected) => {
  expect(await seed(node)).toEqual(expected);
});

test('service records are used by their priority, with the options of their startup node', async () => {
  const seeds = await seedsOf({
    startupNodes: [{ host: 'redis.service', port: 1, password: 'p' }],
    useSRVRecords: true,
    resolveSrv: (name, done) =>
      done(null, [
        { name: `b.${name}`, port: 2, priority: 20 },
        { name: `a.${name}`, port: 3, priority: 10 },
      ]),
  });
  expect(seeds).toEqual([
    { host: 'a.redis.service', port: 3, password: 'p' },
    { host: 'b.redis.service', port: 2, password: 'p' },
  ]);
});

test('a service that cannot be resolved stays, and the others work', async () => {
  const seeds = await seedsOf({
    startupNodes: ['gone', 'there'],
    useSRVRecords: true,
    resolveSrv: (name, done) =>
      name === 'gone' ? done(new Error('ENOTFOUND')) : done(null, [{ name: 'n', port: 1, priority: 1 }]),
  });
  expect(seeds).toEqual([
    { host: 'gone', port: 6379 },
    { host: 'n', port: 1 },
  ]);
});

test("a lookup of the user's own is used, and one that fails leaves the name", async () => {
  const seeds = await seedsOf({
    startupNodes: ['redis-1', 'gone'],
    dnsLookup: (host, done) => (host === 'gone' ? done(new Error('ENOTFOUND')) : done(null, '10.0.0.1')),
  });
  expect(seeds.map(({ host }) => host)).toEqual(['10.0.0.1', 'gone']);
});

test.each([
  ['an object', { '10.0.0.1:7000': { host: 'outside', port: 1 } }],
  ['a function', (key: string) => (key === '10.0.0.1:7000' ? { host: 'outside', port: 1 } : null)],
])('natMap, %s, leads from inside to outside', (_, natMap) => {
  const settings: ClusterSettings = { startupNodes: [], natMap };
  expect(mapped(settings, { host: '10.0.0.1', port: 7000 })).toEqual({ host: 'outside', port: 1 });
  expect(mapped(settings, { host: '10.0.0.2', port: 7000 })).toEqual({ host: '10.0.0.2', port: 7000 });
});

import { beforeEach, describe, expect, test } from '@jest/globals';
import { RsError, type ErrorCode, silentLogger, topic } from '@rs/core';
import { coded, rejectionOf } from '../test-support/coded.ts';
import { FakeTimers } from '../test-support/fake-timers.ts';
import { turn } from '../test-support/turn.ts';
import { TopicDirectory } from './topic-directory.ts';
import type { TopicInfo } from './topic-info.ts';
import { TopicStore } from './topic-store.ts';
import { Topics } from './topics.ts';

const info = (partitions: number, version = 1): TopicInfo => ({
  name: 'orders',
  partitions,
  shards: 1,
  version,
  createdAt: 1,
});

describe('what a process knows of topics', () => {
  let timers: FakeTimers;
  let reads: number;
  let answer: () => Promise<TopicInfo | undefined>;
  let warnings: object[];
  let directory: TopicDirectory;

  beforeEach(() => {
    timers = new FakeTimers();
    reads = 0;
    answer = () => Promise.resolve(info(2));
    warnings = [];
    const store = {
      read: () => {
        reads++;
        return answer();
      },
    };
    const logger = { ...silentLogger, warn: (facts: object) => void warnings.push(facts) };
    directory = new TopicDirectory({ store, timers, logger, refresh: 10_000 });
  });

  test('is read once, also by many at the same time', async () => {
    expect(directory.peek('orders')).toBeUndefined();
    await Promise.all([directory.get('orders'), directory.get('orders')]);
    await timers.advance(9_999);
    expect((await directory.get('orders')).partitions).toBe(2);
    expect(directory.peek('orders')).toEqual(info(2));
    expect(reads).toBe(1);
  });

  test('is read again in the background when it is used later', async () => {
    await directory.get('orders');
    answer = () => Promise.resolve(info(4, 2));
    await timers.advance(100_000);
    expect(reads).toBe(1);
    expect(directory.peek('orders')?.partitions).toBe(2);
    expect(directory.peek('orders')?.partitions).toBe(2);
    await turn();
    expect(directory.peek('orders')?.partitions).toBe(4);
    expect(reads).toBe(2);
  });

  test('stays as it was while Redis fails, which is asked and told once per refresh', async () => {
    await directory.get('orders');
    const error = new RsError('RS_REDIS_TIMEOUT', 'away');
    answer = () => Promise.reject(error);
    await timers.advance(10_000);
    for (let n = 0; n < 3; n++) {
      expect((await directory.get('orders')).partitions).toBe(2);
      await turn();
    }
    expect([reads, warnings]).toEqual([2, [{ topic: 'orders', error }]]);
    await timers.advance(10_000);
    expect(directory.peek('orders')?.partitions).toBe(2);
    expect(reads).toBe(3);
  });

  test('is never guessed: without an answer, the error is passed on', async () => {
    answer = () => Promise.reject(new RsError('RS_REDIS_TIMEOUT', 'away'));
    await rejectionOf(directory.get('orders'), 'RS_REDIS_TIMEOUT');
    answer = () => Promise.resolve(info(2));
    expect((await directory.get('orders')).partitions).toBe(2);
  });

  test('ends with the topic', async () => {
    await directory.get('orders');
    answer = () => Promise.resolve(undefined);
    await timers.advance(10_000);
    directory.peek('orders');
    await turn();
    expect(directory.peek('orders')).toBeUndefined();
    await rejectionOf(directory.get('orders'), 'RS_UNKNOWN_TOPIC');
  });

  test('does not go back to what was asked before a growth', async () => {
    let tell: (old: TopicInfo) => void = () => undefined;
    answer = () => new Promise((resolve) => (tell = resolve));
    const asked = directory.get('orders');
    directory.put(info(4, 2));
    tell(info(2));
    await asked;
    expect(directory.peek('orders')?.partitions).toBe(4);
  });
});

describe('what is refused without asking Redis', () => {
  const store = new TopicStore({
    client: {
      run: () => Promise.reject(new Error('asked')),
      command: () => Promise.reject(new Error('asked')),
    },
    prefix: 'rs',
  });
  const directory = new TopicDirectory({
    store,
    timers: new FakeTimers(),
    logger: silentLogger,
    refresh: 1,
  });
  const topics = new Topics({ store, directory, ids: () => 'id' });

  test.each([
    '',
    'a b',
    'a:b',
    'a{b',
    'a}b',
    '{x}y',
    't*',
    'a\nb',
    '主题',
    'x'.repeat(129),
    undefined,
    7,
    {},
  ])('the name %p', async (name) => {
    const wrong = name as string;
    for (const call of [
      topics.ensure(wrong, { partitions: 1 }),
      topics.grow(wrong, { partitions: 2 }),
      topics.describe(wrong),
    ]) {
      await expect(call).rejects.toEqual(coded('RS_INVALID_NAME'));
    }
  });

  test.each([0, -1, 1.5, Number.NaN, '4', undefined, 4097])('%p partitions', async (partitions) => {
    const wrong = { partitions: partitions as number };
    await expect(topics.ensure('orders', wrong)).rejects.toEqual(coded('RS_INVALID_ARGUMENT'));
    await expect(topics.grow('orders', wrong)).rejects.toEqual(coded('RS_INVALID_ARGUMENT'));
  });

  test.each<[unknown, ErrorCode]>([
    [undefined, 'RS_INVALID_ARGUMENT'],
    [4, 'RS_INVALID_ARGUMENT'],
    [{ partitions: 4, shards: 0 }, 'RS_INVALID_ARGUMENT'],
    [{ partitions: 4, shards: 5 }, 'RS_INVALID_ARGUMENT'],
    [{ partitions: 4, shard: 2 }, 'RS_INVALID_ARGUMENT'],
  ])('the options %j', async (options, code) => {
    await expect(topics.ensure('orders', options as never)).rejects.toEqual(coded(code));
  });

  test('a reply that is damaged is told', async () => {
    const damaged = new TopicStore({
      client: { run: () => Promise.resolve(['OK', '2', null, '1', '1']), command: () => Promise.resolve(7) },
      prefix: 'rs',
    });
    await rejectionOf(damaged.read('orders'), 'RS_REDIS_REPLY');
    await rejectionOf(damaged.names(), 'RS_REDIS_REPLY');
    expect(topic('orders').name).toBe('orders');
  });
});

test('a signal ends the waiting of every call that asks Redis', async () => {
  const never = {
    run: () => new Promise<never>(() => undefined),
    command: () => new Promise<never>(() => undefined),
  };
  const store = new TopicStore({ client: never, prefix: 'rs' });
  const directory = new TopicDirectory({
    ...{ store, timers: new FakeTimers(), logger: silentLogger, refresh: 10_000 },
  });
  const topics = new Topics({ store, directory, ids: () => 'id' });
  const controller = new AbortController();
  const { signal } = controller;
  const calls = [
    topics.ensure('orders', { partitions: 1, signal }),
    topics.grow('orders', { partitions: 2, signal }),
    topics.describe('orders', { signal }),
    topics.list({ signal }),
  ];
  const ended = Promise.allSettled(calls);
  controller.abort('enough');
  expect(await ended).toEqual(calls.map(() => ({ status: 'rejected', reason: 'enough' })));
});

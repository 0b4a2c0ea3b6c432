import { describe, expect, test } from '@jest/globals';
import type { ErrorCode } from '@rs/core';
import type { RedisDriver } from '@rs/redis';
import { createMq } from './mq.ts';
import { coded, rejectionOf } from './test-support/coded.ts';
import { turn } from './test-support/turn.ts';

/** A driver whose connections are never made; counts what is tried. */
function driver(): RedisDriver & { attempts: number } {
  const counting = {
    name: 'none',
    topology: 'single' as const,
    attempts: 0,
    connect: () => {
      counting.attempts++;
      return new Promise<never>(() => undefined);
    },
  };
  return counting;
}

describe('createMq', () => {
  test('connects nothing, and neither does making a producer', async () => {
    const redis = driver();
    const mq = createMq({ redis });
    mq.producer();
    await turn();
    expect(redis.attempts).toBe(0);
    await mq.close();
    expect(redis.attempts).toBe(0);
  });

  test.each<[unknown, ErrorCode]>([
    [undefined, 'RS_INVALID_ARGUMENT'],
    [{}, 'RS_INVALID_ARGUMENT'],
    [{ redis: 'redis://localhost' }, 'RS_INVALID_ARGUMENT'],
    [{ redis: null }, 'RS_INVALID_ARGUMENT'],
    [{ redis: driver(), prefix: 'a{b' }, 'RS_INVALID_NAME'],
    [{ redis: driver(), prefix: '' }, 'RS_INVALID_NAME'],
    [{ redis: driver(), codecs: [{}] }, 'RS_INVALID_ARGUMENT'],
    [{ redis: driver(), topicRefresh: 0 }, 'RS_INVALID_DURATION'],
    [{ redis: driver(), ids: 'x' }, 'RS_INVALID_ARGUMENT'],
    [{ redis: driver(), random: 0.5 }, 'RS_INVALID_ARGUMENT'],
    [{ redis: driver(), logger: { info: () => undefined } }, 'RS_INVALID_ARGUMENT'],
    [{ redis: driver(), perfix: 'x' }, 'RS_INVALID_ARGUMENT'],
  ])('refuses %j', (options, code) => {
    expect(() => createMq(options as never)).toThrow(coded(code));
  });
});

describe('close', () => {
  test('ends what was made, and refuses what comes later', async () => {
    const mq = createMq({ redis: driver() });
    const producer = mq.producer();
    const sent = rejectionOf(producer.send('orders', { value: 1 }), 'RS_CLOSED');
    await Promise.all([mq.close({ timeout: 20 }), mq.close(), mq[Symbol.asyncDispose]()]);
    await sent;
    expect(() => mq.producer()).toThrow(coded('RS_CLOSED'));
    await rejectionOf(producer.send('orders', { value: 1 }), 'RS_CLOSED');
    await rejectionOf(mq.topics.list(), 'RS_CLOSED');
  });
});

import { expect, jest, test } from '@jest/globals';
import { RsError } from '@rs/core';
import { FakeTime, FakeTimers } from '../test-support/fake-timers.ts';
import { GrownTopics, grownText, type WatchedTopic } from './grown-topics.ts';

const ORDERS: WatchedTopic = { topic: 'orders', partitions: 2, keyed: true };

function watch(topics: readonly WatchedTopic[] = [ORDERS]) {
  const time = new FakeTime();
  const partitionsOf = jest.fn((_: string) => Promise.resolve<number | undefined>(2));
  const onGrown = jest.fn();
  const onTrouble = jest.fn();
  const timers = new FakeTimers(time);
  const watching = new GrownTopics({ topics, partitionsOf, timers, every: 5_000, onGrown, onTrouble });
  watching.start();
  return { time, partitionsOf, onGrown, onTrouble, watching };
}

test('more partitions are told once, with what to do; even more are told again', async () => {
  const { time, partitionsOf, onGrown, watching } = watch();
  await time.advance(5_000);
  expect(watching.grown).toEqual([]);
  partitionsOf.mockResolvedValue(4);
  await time.advance(20_000);
  expect(onGrown).toHaveBeenCalledTimes(1);
  expect(watching.grown.map(grownText)).toEqual([
    expect.stringMatching(
      /^topic 'orders' has got more partitions, 4 instead of 2, .* start it as another job/,
    ),
  ]);
  partitionsOf.mockResolvedValue(8);
  await time.advance(5_000);
  expect(onGrown).toHaveBeenCalledTimes(2);
  expect(watching.grown).toMatchObject([{ topic: 'orders', read: 2, partitions: 8 }]);
});

test('a job that keeps nothing by key can be started again', async () => {
  const { time, partitionsOf, watching } = watch([{ ...ORDERS, keyed: false }]);
  partitionsOf.mockResolvedValue(3);
  await time.advance(5_000);
  expect(watching.grown.map(grownText)).toEqual([
    expect.stringMatching(/stop all processes .* start them again/),
  ]);
});

test('a topic that is gone, or smaller, has not grown', async () => {
  const { time, partitionsOf, watching } = watch();
  partitionsOf.mockResolvedValueOnce(undefined).mockResolvedValueOnce(1);
  await time.advance(10_000);
  expect(watching.grown).toEqual([]);
});

test('an error is told, and the next look comes; a stop ends it', async () => {
  const { time, partitionsOf, onTrouble, watching } = watch();
  partitionsOf.mockRejectedValueOnce(new RsError('RS_REDIS_TIMEOUT', 'late'));
  await time.advance(10_000);
  expect(onTrouble).toHaveBeenCalledTimes(1);
  expect(partitionsOf).toHaveBeenCalledTimes(2);
  watching.stop();
  await time.advance(60_000);
  expect(partitionsOf).toHaveBeenCalledTimes(2);
  expect(time.planned).toBe(0);
});

test('nothing is looked at where there is nothing to look at', () => {
  expect(watch([]).time.planned).toBe(0);
});

import { expect, jest, test } from '@jest/globals';
import { RsError } from '@rs/core';
import { FakeTime, FakeTimers } from '../test-support/fake-timers.ts';
import { type MirroredPosition, TaskMirror } from './task-mirror.ts';

function at(offset: number): MirroredPosition {
  return { offset: `${offset}-0`, count: offset, ended: false };
}

function world() {
  const time = new FakeTime();
  const move = jest.fn((_: MirroredPosition) => Promise.resolve<number | undefined>(7));
  const onTrouble = jest.fn();
  const mirror = new TaskMirror({ timers: new FakeTimers(time), delay: 500, move, onTrouble });
  const moves = () => move.mock.calls.map(([{ offset }]) => offset);
  return { time, move, moves, onTrouble, mirror };
}

test('follows the commits, once per delay', async () => {
  const { time, moves, mirror } = world();
  mirror.committed(at(1));
  mirror.committed(at(2));
  expect(moves()).toEqual([]);
  await time.advance(500);
  expect(moves()).toEqual(['2-0']);
  expect(mirror.lag).toBe(7);
  mirror.committed(at(2));
  await time.advance(1_000);
  expect(moves()).toEqual(['2-0']);
  mirror.committed(at(3));
  await time.advance(500);
  expect(moves()).toEqual(['2-0', '3-0']);
});

test('a move that fails is told and made up for', async () => {
  const { time, move, moves, onTrouble, mirror } = world();
  move.mockRejectedValueOnce(new RsError('RS_REDIS_TIMEOUT', 'late'));
  mirror.committed(at(1));
  await time.advance(500);
  expect(onTrouble).toHaveBeenCalledTimes(1);
  await time.advance(500);
  expect(moves()).toEqual(['1-0', '1-0']);
});

test('moves a last time when it is closed, unless it is there already', async () => {
  const { time, moves, mirror } = world();
  mirror.committed(at(1));
  await mirror.close();
  expect(moves()).toEqual(['1-0']);
  expect(time.planned).toBe(0);
  await mirror.close();
  expect(moves()).toEqual(['1-0']);
});

test('once it is stopped it moves nothing', async () => {
  const { time, moves, mirror } = world();
  mirror.committed(at(1));
  mirror.stop();
  mirror.committed(at(2));
  await time.advance(1_000);
  expect(moves()).toEqual([]);
});

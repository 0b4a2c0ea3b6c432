import { expect, jest, test } from '@jest/globals';
import { RsError } from '@rs/core';
import { FakeTime, FakeTimers } from '../test-support/fake-timers.ts';
import { type MirroredPosition, TaskMirror } from './task-mirror.ts';

function at(offset: number): MirroredPosition {
  return { offset: `${offset}-0`, count: offset, ended: false };
}

async function started() {
  const time = new FakeTime();
  const move = jest.fn((_: MirroredPosition) => Promise.resolve<number | undefined>(7));
  const onTrouble = jest.fn();
  const timers = new FakeTimers(time);
  const mirror = new TaskMirror({ timers, delay: 500, refresh: 5_000, move, onTrouble }, at(0));
  mirror.start();
  await time.advance(0);
  return { time, move, moves: () => move.mock.calls.map(([{ offset }]) => offset), onTrouble, mirror };
}

test('makes the group at once, where the task is', async () => {
  const { moves, mirror } = await started();
  expect(moves()).toEqual(['0-0']);
  expect(mirror.lag).toBe(7);
});

test('follows the commits, once per delay', async () => {
  const { time, moves, mirror } = await started();
  mirror.committed(at(1));
  await time.advance(300);
  mirror.committed(at(2));
  await time.advance(199);
  expect(moves()).toEqual(['0-0']);
  await time.advance(1);
  expect(moves()).toEqual(['0-0', '2-0']);
  mirror.committed(at(2));
  await time.advance(1_000);
  expect(moves()).toHaveLength(2);
  mirror.committed(at(3));
  await time.advance(500);
  expect(moves()).toEqual(['0-0', '2-0', '3-0']);
});

test('looks again now and then while nothing is committed', async () => {
  const { time, moves, move, mirror } = await started();
  move.mockResolvedValue(9);
  await time.advance(5_000);
  expect(moves()).toEqual(['0-0', '0-0']);
  expect(mirror.lag).toBe(9);
});

test('what is committed while a move is under way follows it', async () => {
  const { time, move, moves, mirror } = await started();
  let answer: () => void = () => undefined;
  move.mockReturnValueOnce(new Promise((resolve) => (answer = () => resolve(1))));
  mirror.committed(at(1));
  await time.advance(500);
  mirror.committed(at(2));
  await time.advance(2_000);
  expect(moves()).toEqual(['0-0', '1-0']);
  answer();
  await time.advance(500);
  expect(moves()).toEqual(['0-0', '1-0', '2-0']);
});

test('a move that fails is told and made up for', async () => {
  const { time, move, moves, onTrouble, mirror } = await started();
  move.mockRejectedValueOnce(new RsError('RS_REDIS_TIMEOUT', 'late'));
  mirror.committed(at(1));
  await time.advance(500);
  expect(onTrouble).toHaveBeenCalledTimes(1);
  await time.advance(500);
  expect(moves()).toEqual(['0-0', '1-0', '1-0']);
});

test('moves a last time when it is closed, unless it is there already', async () => {
  const { time, moves, mirror } = await started();
  mirror.committed(at(1));
  await mirror.close();
  expect(moves()).toEqual(['0-0', '1-0']);
  expect(time.planned).toBe(0);
  await mirror.close();
  expect(moves()).toHaveLength(2);
});

test('once it is stopped it moves nothing', async () => {
  const { time, moves, mirror } = await started();
  mirror.committed(at(1));
  mirror.stop();
  mirror.committed(at(2));
  await time.advance(10_000);
  expect(moves()).toEqual(['0-0']);
});

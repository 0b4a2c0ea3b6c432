import { expect, jest, test } from '@jest/globals';
import { RsError } from '@rs/core';
import { FakeTime, FakeTimers } from '../test-support/fake-timers.ts';
import { insistently } from './insist.ts';
import { TaskControl } from './task-control.ts';

const TIMEOUT = new RsError('RS_REDIS_TIMEOUT', 'late');

function world() {
  const time = new FakeTime();
  const control = new TaskControl(new FakeTimers(time), false);
  const onTrouble = jest.fn();
  return { time, control, onTrouble, insist: insistently(control, onTrouble) };
}

test('makes a call again until it is answered', async () => {
  const { time, insist, onTrouble } = world();
  const call = jest.fn(() => Promise.resolve('OK'));
  call.mockRejectedValueOnce(TIMEOUT).mockRejectedValueOnce(TIMEOUT);
  const answer = insist(call);
  await time.advance(60);
  await expect(answer).resolves.toBe('OK');
  expect(call).toHaveBeenCalledTimes(3);
  expect(onTrouble).toHaveBeenCalledTimes(2);
});

test('also when the work is to end: whether it happened must be known', async () => {
  const { time, control, insist } = world();
  const call = jest.fn(() => Promise.resolve('OK'));
  call.mockRejectedValueOnce(TIMEOUT);
  control.requestStop({ drain: false });
  const answer = insist(call);
  await time.advance(60);
  await expect(answer).resolves.toBe('OK');
});

test('not once the task is lost', async () => {
  const { control, insist } = world();
  const lost = new RsError('RS_LEASE_LOST', 'gone');
  const answer = insist(() => Promise.reject(TIMEOUT));
  control.lose(lost);
  await expect(answer).rejects.toBe(lost);
});

test('not when another attempt would not help', async () => {
  const { insist } = world();
  const refused = new RsError('RS_REDIS_REPLY', 'WRONGTYPE');
  await expect(insist(() => Promise.reject(refused))).rejects.toBe(refused);
});

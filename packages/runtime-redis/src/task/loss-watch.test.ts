import { expect, jest, test } from '@jest/globals';
import { RsError } from '@rs/core';
import type { Mirrored } from '../store/task-store.ts';
import { rejectionOf } from '../test-support/coded.ts';
import { LossWatch } from './loss-watch.ts';

const LOST = { after: '1-0', before: '4-0', count: 2, deleted: false };

test('a loss is told once, and the store learns at once that it was', async () => {
  const told = jest.fn();
  const watch = new LossWatch(told);
  const look = jest.fn((known: string) =>
    Promise.resolve<Mirrored>({ lag: 7, loss: known === '1' ? undefined : { id: '1', lost: LOST } }),
  );
  expect(await watch.move(look)).toBe(7);
  expect(look.mock.calls).toEqual([[''], ['1']]);
  expect(await watch.move(look)).toBe(7);
  expect(told.mock.calls).toEqual([[LOST]]);
});

test('where the store does not learn it, it is not told again', async () => {
  const told = jest.fn();
  const watch = new LossWatch(told);
  const look = jest
    .fn<(known: string) => Promise<Mirrored>>()
    .mockResolvedValueOnce({ lag: 7, loss: { id: '1', lost: LOST } })
    .mockRejectedValueOnce(new RsError('RS_REDIS_TIMEOUT', 'late'))
    .mockResolvedValueOnce({ lag: 7, loss: { id: '1', lost: LOST } })
    .mockResolvedValueOnce({ lag: 7, loss: { id: '2', lost: LOST } })
    .mockResolvedValueOnce({ lag: 6, loss: undefined });
  await rejectionOf(watch.move(look), 'RS_REDIS_TIMEOUT');
  await watch.move(look);
  expect(told).toHaveBeenCalledTimes(1);
  expect(await watch.move(look)).toBe(6);
  expect(told).toHaveBeenCalledTimes(2);
});

import { expect, test } from '@jest/globals';
import { turn } from '../test-support/turn.ts';
import { Turns } from './turns.ts';

test('without a limit nobody waits', async () => {
  const turns = new Turns(Infinity);
  await turns.take(0);
  await turns.take(0);
});

test('those of one line take turns, in the order in which they ask; lines do not wait for each other', async () => {
  const turns = new Turns(2);
  const begun: number[] = [];
  const ends = new Map<number, () => void>();
  for (const partition of [0, 2, 1, 4, 3]) {
    void turns.take(partition).then((end) => {
      begun.push(partition);
      ends.set(partition, end);
    });
  }
  await turn();
  expect(begun).toEqual([0, 1]);
  ends.get(0)?.();
  await turn();
  expect(begun).toEqual([0, 1, 2]);
  ends.get(2)?.();
  ends.get(1)?.();
  await turn();
  expect(begun).toEqual([0, 1, 2, 4, 3]);
});

test('a turn may be ended twice', async () => {
  const turns = new Turns(1);
  const end = await turns.take(0);
  end();
  const next = await turns.take(0);
  end();
  let third = false;
  void turns.take(0).then(() => {
    third = true;
  });
  await turn();
  expect(third).toBe(false);
  next();
  await turn();
  expect(third).toBe(true);
});

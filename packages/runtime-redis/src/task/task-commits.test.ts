import { describe, expect, test } from '@jest/globals';
import { RsError } from '@rs/core';
import type { BatchedDriver } from '@rs/runtime';
import { type GivenUp, TaskCommits } from './task-commits.ts';

const ENTRY = { id: '7-0', fields: [], bytes: 0 };
const TIMER = { operator: 'op', kind: 'event', time: 5, key: 's:a', namespace: '' } as const;
const REFUSED = new RsError('RS_RECORD_TOO_LARGE', 'no');

/** Commits of a task whose driver writes down what it is asked for, together with what the backend was told. */
function world({ refuses = false, answers = true, has = true } = {}) {
  const log: unknown[] = [];
  const dead: GivenUp[] = [];
  let handedOver = false;
  const commit = (what: string): Promise<void> => {
    log.push(what);
    if (refuses) return Promise.reject(REFUSED);
    handedOver = true;
    return Promise.resolve();
  };
  const driver: Pick<BatchedDriver, 'flush' | 'skip' | 'discardTimer'> = {
    flush: () => {
      const lost = handedOver && !answers;
      handedOver = false;
      return lost ? Promise.reject(new RsError('RS_COMMIT_REJECTED', 'lost')) : Promise.resolve();
    },
    skip: (count) => commit(`skip ${count}`),
    discardTimer: async () => {
      if (has) await commit('discard');
      return has;
    },
  };
  const op = { type: 'unlink', key: 'letter' } as const;
  const commits = new TaskCommits({
    driver: driver as BatchedDriver,
    backend: { add: (additions) => void log.push(additions), takeBack: () => void log.push('take back') },
    deadLetters: { ofEntry: () => op, ofUnreadable: () => op, ofTimer: () => op },
    where: { topic: 'orders', partition: 0 },
    onDead: (each) => void dead.push(each),
  });
  return { commits, log, dead, op };
}

describe('what is given up', () => {
  test('leaves with its dead letter, and is told once that is stored', async () => {
    const { commits, log, dead, op } = world();
    await commits.giveUpFailed(ENTRY, 'boom', 3);
    await commits.giveUpTimer(TIMER, 'boom', 3);
    expect(log).toEqual([{ ops: [op] }, 'skip 1', { ops: [op] }, 'discard']);
    expect(dead).toEqual([
      { id: '7-0', reason: 'attempts', error: 'boom' },
      { id: undefined, timer: TIMER, reason: 'attempts', error: 'boom' },
    ]);
  });

  test('is not told when another owner has the task by the time of the answer', async () => {
    const { commits, dead } = world({ answers: false });
    await expect(commits.giveUpFailed(ENTRY, 'boom', 3)).rejects.toThrow('lost');
    expect(dead).toEqual([]);
  });

  test('leaves no letter when there is no such timer any more', async () => {
    const { commits, log, dead, op } = world({ has: false });
    await commits.giveUpTimer(TIMER, 'boom', 3);
    expect([log, dead]).toEqual([[{ ops: [op] }, 'take back'], []]);
  });
});

test.each<[string, (commits: TaskCommits) => Promise<void>]>([
  ['a letter', (commits) => commits.giveUpFailed(ENTRY, 'boom', 3)],
  ['a mark', (commits) => commits.mark('7-0')],
])('%s that is not stored goes with no later commit', async (_, attempt) => {
  const { commits, log } = world({ refuses: true });
  await expect(attempt(commits)).rejects.toBe(REFUSED);
  expect(log.at(-1)).toBe('take back');
});

test('that crashes are dealt with is pending until it is stored', async () => {
  const failing = world({ refuses: true });
  failing.commits.recovered();
  await expect(failing.commits.touch()).rejects.toBe(REFUSED);
  expect(failing.commits.pending).toBe(true);
  const { commits, log } = world();
  commits.recovered();
  await commits.touch();
  expect([commits.pending, log]).toEqual([false, [{ recovered: true }, 'skip 0']]);
});

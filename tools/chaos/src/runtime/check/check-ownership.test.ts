import { expect, test } from '@jest/globals';
import type { Commit, History } from '../history/history.ts';
import { commitsOf, history, tenure } from '../test-support/histories.ts';
import { checkOwnership } from './check-ownership.ts';

const commits = commitsOf(2);
const next = tenure(2, {
  incarnation: 'worker-1#1',
  token: 'b2',
  epoch: 2,
  from: 3_000,
  seq: 20,
  offset: commits[19]?.offset ?? '',
});
const ofNext = { incarnation: 'worker-1#1', token: 'b2' };

function told(changed: readonly Commit[], facts: Partial<History> = {}) {
  const found = checkOwnership(history({ commits: changed, tenures: [tenure(2), next], ...facts }));
  return { ...found, violations: found.violations.map(({ what }) => what) };
}
const takenOver = [...commits.slice(0, 20), ...commits.slice(20).map((each) => ({ ...each, ...ofNext }))];

test('one after the other, over several owners', () => {
  expect(told(takenOver)).toEqual({ commits: commits.length, fenced: 0, repeated: 0, violations: [] });
});

test('what a stale owner sends is refused', () => {
  const stale: Commit = { ...(commits[20] as Commit), at: 9_000, reply: 'FENCED' };
  expect(told([...takenOver, stale])).toMatchObject({ fenced: 1, violations: [] });
});

test('a commit whose reply was lost is found to have been made', () => {
  const twice = commits.flatMap((each, at) => (at === 7 ? [each, { ...each, reply: 'DUP' }] : [each]));
  expect(told(twice)).toMatchObject({ repeated: 1, violations: [] });
});

test('a stale owner whose commit was taken', () => {
  const stale: Commit = { ...(commits[20] as Commit), at: 9_000 };
  expect(told([...takenOver, stale]).violations).toEqual(
    expect.arrayContaining(['partition 2: commit 21 of worker-1#1 was made again by worker-0#1']),
  );
});

test('an owner that went on behind the one that took over', () => {
  const late: Commit = { ...(commits.at(-1) as Commit), seq: commits.length + 1, at: 9_000 };
  expect(told([...takenOver, late]).violations).toEqual([
    `partition 2: commit ${commits.length + 1} of epoch 1 was made after one of epoch 2`,
  ]);
});

test('a position that went back', () => {
  const back = commits.map((each, at) => (at === 9 ? { ...each, offset: '1-0' } : each));
  expect(told(back).violations).toEqual([expect.stringContaining('commit 10 of worker-0#1 went back from')]);
});

test('an owner that was given less than had been committed', () => {
  const given = { ...next, offset: '1-0' };
  expect(told(takenOver, { tenures: [tenure(2), given] }).violations).toEqual([
    expect.stringContaining('worker-1#1 was given commit 20 at 1-0'),
  ]);
  expect(
    told(takenOver, { tenures: [tenure(2), { ...next, seq: 21, offset: commits[20]?.offset ?? '' }] })
      .violations,
  ).toEqual(['partition 2: worker-1#1 made commit 21 after it was given 21']);
});

test('a commit out of its turn, and one under a token that nobody was given', () => {
  expect(told([...commits, { ...(commits[3] as Commit), reply: 'SEQ' }]).violations).toEqual([
    'partition 2: commit 4 of worker-0#1 was not the next one',
  ]);
  expect(told(commits.map((each, at) => (at === 5 ? { ...each, token: 'x' } : each))).violations).toContain(
    'partition 2: commit 6 of worker-0#1 is under a token that nobody was given',
  );
});

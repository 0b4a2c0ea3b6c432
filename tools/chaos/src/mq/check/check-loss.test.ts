import { expect, test } from '@jest/globals';
import { LOAD } from '../load/settings.ts';
import type { DeadLetter } from '../redis/stored.ts';
import { entry, fault, handling, history, namesOf } from '../test-support/histories.ts';
import { checkLoss } from './check-loss.ts';

const log = namesOf('key-1', 3).map((name, at) => entry(2, 1_000 + at, name));
const handlings = log.map((each, at) => handling(each, 2_000 + at * 20));
const doomed = namesOf('key-1', 1, 'dead').map((name) => entry(2, 1_500, name));
const burial = doomed.map((each) => handling(each, 2_500, { result: 'dead' }));

const letter = (facts: Partial<DeadLetter> = {}): DeadLetter => ({
  ...{ partition: 2, original: '1500-0', group: LOAD.group, reason: 'handler', attempts: 1, intact: true },
  ...facts,
});
const told = (facts: Parameters<typeof history>[0]): string[] =>
  checkLoss(history(facts)).map(({ what }) => what);

test('handled or dead by plan: nothing to tell', () => {
  const all = [...handlings, ...burial];
  expect(told({ log: [...log, ...doomed], handlings: all, deadLetters: [letter()] })).toEqual([]);
});

test('an entry that nobody handled', () => {
  expect(told({ log, handlings: handlings.slice(1) })).toEqual([
    expect.stringMatching(/^2\/1000-0 was neither handled successfully nor/),
  ]);
});

test.each([
  ['failed', 'failed'],
  ['began and never ended', undefined],
] as const)('a handling that %s does not count', (_, result) => {
  const [first, ...others] = handlings;
  if (first === undefined) throw new Error('three handlings');
  expect(told({ log, handlings: [{ ...first, result }, ...others] })).toHaveLength(1);
});

test('a confirmed message that is not in the log, or another in its place', () => {
  const [first, second] = log;
  if (first === undefined || second === undefined) throw new Error('three entries');
  const confirmed = [
    { ...first, incarnation: 'producer#1', at: 0, id: '999-0' },
    { ...second, incarnation: 'producer#1', at: 0, id: first.id },
  ];
  expect(told({ log, handlings, confirmed })).toEqual([
    expect.stringMatching(/999-0, where there is nothing$/),
    expect.stringMatching(/1000-0, where there is message \d+ of key-1 from producer#1$/),
  ]);
});

test('a message that its handler put among the dead letters, and is not there', () => {
  const facts = { log: doomed, handlings: burial };
  expect(told(facts)).toEqual([expect.stringContaining('not among the dead letters')]);
  expect(told({ ...facts, deadLetters: [letter({ group: 'others' })] })).toHaveLength(1);
});

test('a dead letter that nobody decided on', () => {
  const [first] = log;
  const deadLetters = [letter({ original: first?.id ?? '', reason: 'attempts', attempts: 20 })];
  expect(told({ log: log.slice(0, 1), deadLetters })).toEqual([
    "2/1000-0 is a dead letter for the reason 'attempts' after 20 attempts",
  ]);
});

test('a dead letter with other bytes', () => {
  const facts = { log: doomed, handlings: burial, deadLetters: [letter({ intact: false })] };
  expect(told(facts)).toEqual(['the dead letter of 2/1500-0 has other bytes than its message']);
});

test('a dead letter twice, unless the group was destroyed', () => {
  const facts = { log: doomed, handlings: burial, deadLetters: [letter(), letter()] };
  expect(told(facts)).toEqual(['2/1500-0 is a dead letter twice']);
  const destroyed = (partition: number) => [fault('destroyGroup', 2_600, 2_600, { partition })];
  expect(told({ ...facts, disturbances: destroyed(3) })).toHaveLength(1);
  expect(told({ ...facts, disturbances: destroyed(2) })).toEqual([]);
});

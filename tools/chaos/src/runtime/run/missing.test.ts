import { expect, test } from '@jest/globals';
import { expectedOf } from '../model/model.ts';
import { LOG, rightResults, SEED, tasksAtTheEnd, withPartition } from '../test-support/histories.ts';
import { missing } from './missing.ts';

const expected = expectedOf(SEED, LOG);

test('nothing is missing', () => {
  expect(missing(expected, rightResults(), tasksAtTheEnd(), LOG.length)).toEqual([]);
});

test('says what is, and how much', () => {
  const { results } = withPartition(3, ({ sessions }) => ({ sessions: sessions.slice(2), counts: {} }));
  const of = expected[3];
  const tasks = tasksAtTheEnd().map((each) =>
    each.partition === 6 ? { ...each, delivered: undefined } : each,
  );
  expect(missing(expected, { ...results, windowsTopic: [] }, tasks, LOG.length - 1)).toEqual([
    `records counted of partition 3: 0 of ${of?.counts.length}`,
    `sessions of partition 3: ${(of?.sessions.length ?? 0) - 2} of ${of?.sessions.length}`,
    `the group of partition 6: at no place of ${tasks[6]?.last}`,
    `windows in their topic: 0 of ${expected.reduce((sum, each) => sum + each.windows.length, 0)}`,
    `results given to the function: ${LOG.length - 1} of ${LOG.length}`,
  ]);
});

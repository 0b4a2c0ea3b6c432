import { expect, test } from '@jest/globals';
import { history, tasksAtTheEnd } from '../test-support/histories.ts';
import { checkLeftBehind } from './check-left-behind.ts';

const [first, ...others] = tasksAtTheEnd();

test('all is put away', () => {
  expect(checkLeftBehind(history())).toEqual([]);
});

test.each([
  ['a lease', { owned: true }, 'its lease was not given back'],
  ['a hold', { held: '1-0' }, 'retention keeps what comes after 1-0, and the last record is'],
  ['a group that is behind', { delivered: '1-0', lag: 9 }, 'the group is at 1-0 with a lag of 9'],
  ['a group with a lag', { lag: 1 }, 'with a lag of 1'],
  [
    'no group',
    { delivered: undefined, lag: undefined },
    'the group is at no place with a lag of nobody knows what',
  ],
])('%s', (_, facts, what) => {
  if (first === undefined) throw new Error('a partition');
  const violations = checkLeftBehind(history({ tasks: [{ ...first, ...facts }, ...others] }));
  expect(violations.map((each) => each.what)).toEqual([expect.stringContaining(`partition 0: `)]);
  expect(violations[0]?.what).toContain(what);
});

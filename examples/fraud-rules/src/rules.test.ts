import { describe, expect, test } from '@jest/globals';
import { findAlone } from './find-alone.ts';
import type { RuleName } from './rules.ts';
import { written } from './test-support/written.ts';

/** `card-testing 1 2 3 4` for each alert: the rule and the ids of its events. */
function alertsIn(text: string): string[] {
  return findAlone(written(text)).alerts.map(({ rule, events }) =>
    [rule, ...events.map(({ id }) => id)].join(' '),
  );
}

type Case = readonly [what: string, events: string, ids: string | undefined];

const CASES: Readonly<Record<RuleName, readonly Case[]>> = {
  'card-testing': [
    ['three small payments, then a large one', '1@0, 1@1, 1@2, 300@3', '1 2 3 4'],
    ['all small ones', '1@0, 1@1, 1@2, 1@3, 1@4, 300@5', '1 2 3 4 5 6'],
    ['whatever happens between', '1@0, login US@0.5, 1@1, 20@1.5, 1@2, change@3, 300@4', '1 3 5 7'],
    ['those that are not too long ago', '1@0, 1@1, 1@2, 1@3, 300@10', '2 3 4 5'],
    ['two only', '1@0, 1@1, 300@2', undefined],
    ['small is below 5', '1@0, 5@1, 1@2, 300@3', undefined],
    ['large is from 300 on', '1@0, 1@1, 1@2, 299.99@3', undefined],
    ['within ten minutes', '1@0, 1@1, 1@2, 300@10', undefined],
  ],
  takeover: [
    ['nothing is confirmed', 'login+ NG@0, change@5', '1 2'],
    ['it is confirmed too late', 'login+ NG@0, change@5, confirm@15', '1 2'],
    ['it is confirmed in time', 'login+ NG@0, change@5, confirm@14.9', undefined],
    ['it is confirmed before', 'login+ NG@0, confirm@1, change@5', undefined],
    ['the country is known', 'login NG@0, change@5', undefined],
    ['the password is changed later', 'login+ NG@0, change@15', undefined],
    ['the password is changed before', 'change@0, login+ NG@1', undefined],
  ],
  'rising-amounts': [
    ['each half as large again', '10@0, 15@5, 22.5@10, 33.75@15', '1 2 3 4'],
    ['no payment between', '10@0, 15@5, login US@6, 23@10, 40@15', '1 2 4 5'],
    ['not at first', '80@0, 10@5, 15@10, 25@15, 40@20', '2 3 4 5'],
    ['three only', '10@0, 15@5, 25@10', undefined],
    ['not quite half as large again', '10@0, 15@5, 22.5@10, 33.74@15', undefined],
    ['a smaller one between', '10@0, 15@5, 12@6, 25@10, 40@15', undefined],
    ['within an hour', '10@0, 15@20, 25@40, 40@60', undefined],
  ],
  'impossible-travel': [
    ['two countries', 'login US@0, login NG@59.9', '1 2'],
    ['from the last login', 'login US@0, login US@5, login NG@10', '2 3'],
    ['one country', 'login US@0, login US@5', undefined],
    ['an hour', 'login US@0, login NG@60', undefined],
    ['something between', 'login US@0, 20@1, login NG@5', undefined],
  ],
};

describe.each(Object.entries(CASES))('%s', (rule, cases) => {
  test.each(cases)('%s: %s', (_, events, ids) => {
    expect(alertsIn(events)).toEqual(ids === undefined ? [] : [`${rule} ${ids}`]);
  });
});

test('no event is in two alerts of a rule', () => {
  expect(alertsIn('1@0, 1@1, 1@2, 300@3, 400@4')).toEqual(['card-testing 1 2 3 4']);
  expect(alertsIn('login US@0, login NG@5, login US@10')).toEqual(['impossible-travel 1 2']);
  expect(alertsIn('10@0, 20@1, 40@2, 80@3, 160@4')).toEqual(['rising-amounts 1 2 3 4']);
});

test('accounts do not meet', () => {
  const [ada, bob] = [written('login US@0', 'ada'), written('login NG@5', 'bob')];
  expect(findAlone([...ada, ...bob]).alerts).toEqual([]);
});

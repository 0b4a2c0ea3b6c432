import { expect, test } from '@jest/globals';
import { history } from '../test-support/histories.ts';
import { check } from './check.ts';

test('a run in which nothing went wrong keeps every promise', () => {
  const { violations, ownership, deliveries } = check(history());
  expect(violations).toEqual([]);
  expect(ownership.commits).toBe(608);
  expect(deliveries).toMatchObject({ total: 608, repeats: 0 });
});

test('broken promises come in the order of the report', () => {
  const stops = [{ incarnation: 'worker-0#1', at: 0, budget: 100, took: 9_000 }];
  const { violations } = check(history({ stops, drained: undefined, missing: ['sessions: 1 of 2'] }));
  expect(violations.map(({ promise }) => promise)).toEqual([
    'processes live',
    'stop within its budget and 0.5 s',
  ]);
  expect(violations[0]?.evidence).toEqual(['sessions: 1 of 2']);
});

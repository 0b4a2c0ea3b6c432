import { expect, test } from '@jest/globals';
import { entry, handling, history, namesOf, settled } from '../test-support/histories.ts';
import { check } from './check.ts';

test('a calm run keeps every promise', () => {
  const log = namesOf('key-1', 3).map((name, at) => entry(2, 1_000 + at, name));
  const handlings = log.map((each, at) => handling(each, 2_000 + at * 20));
  expect(check(history({ log, handlings, states: [settled(2, '1002-0')] })).violations).toEqual([]);
});

test('a process that ended by itself, with the last it said', () => {
  const incarnation = { incarnation: 'consumer-0#1', from: 0, killedAt: undefined, endedAt: 9 };
  const incarnations = [{ ...incarnation, failure: 'code 1\nTypeError: no' }];
  expect(check(history({ incarnations })).violations).toEqual([
    {
      promise: 'processes live',
      what: 'consumer-0#1 ended by itself',
      evidence: ['code 1', 'TypeError: no'],
    },
  ]);
});

test('a backlog that nobody works off, with the state of each partition', () => {
  const stuck = settled(3, '9-0', { delivered: '8-0', low: '7-0', held: '7-0', pending: 1, owned: true });
  const [violation] = check(history({ drained: undefined, states: [stuck] })).violations;
  expect(violation).toEqual({
    promise: 'processes live',
    what: 'the backlog was not worked off after the faults had ended',
    evidence: ['partition 3: last 9-0, delivered 8-0, 1 pending, low 7-0, owned'],
  });
});

test('what was seen during the run, in the order of the promises', () => {
  const sightings = [
    { promise: 'only the owner changes state', at: 1, what: 'an epoch went back' },
    { promise: 'nothing is lost', at: 2, what: 'other bytes' },
  ] as const;
  expect(check(history({ sightings })).violations.map(({ what }) => what)).toEqual([
    'other bytes',
    'an epoch went back',
  ]);
});

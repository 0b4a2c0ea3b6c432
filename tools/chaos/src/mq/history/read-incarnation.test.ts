import { expect, test } from '@jest/globals';
import type { Entry } from './entry.ts';
import type { Incarnation } from '../../processes/incarnation.ts';
import { readIncarnation } from './read-incarnation.ts';

const process: Incarnation = {
  ...{ incarnation: 'consumer-0#1', from: 0 },
  ...{ killedAt: undefined, endedAt: undefined, failure: undefined },
};
const start = (at: number, id: string, epoch = 1): Entry => ({
  ...{ type: 'start', at, partition: 1, id, epoch, called: at, attempt: 1 },
});
const end = (at: number, id: string, epoch = 1): Entry => ({
  ...{ type: 'end', at, partition: 1, id, epoch, result: 'done', aborted: false },
});
const acquired = (at: number, epoch: number): Entry => ({ type: 'acquired', at, partition: 1, epoch });

test('a handling has its end, also when several overlap', () => {
  const { handlings } = readIncarnation(process, [start(1, 'a'), start(2, 'b'), end(3, 'b'), end(4, 'a')]);
  expect(handlings).toEqual([
    expect.objectContaining({ id: 'a', start: 1, end: 4, result: 'done' }),
    expect.objectContaining({ id: 'b', start: 2, end: 3, result: 'done' }),
  ]);
});

test('one of an earlier epoch is not mistaken for the present one', () => {
  const { handlings } = readIncarnation(process, [
    start(1, 'a'),
    start(5, 'a', 2),
    end(6, 'a', 1),
    end(9, 'a', 2),
  ]);
  expect(handlings.map((each) => each.end)).toEqual([6, 9]);
});

test('one that the process did not live to end', () => {
  const { handlings } = readIncarnation(process, [start(1, 'a')]);
  expect(handlings).toEqual([expect.objectContaining({ end: undefined, result: undefined })]);
});

test('a message that a batch handler put off was not handled', () => {
  const putOff: Entry = {
    type: 'end',
    at: 2,
    partition: 1,
    id: 'a',
    epoch: 1,
    result: 'again',
    aborted: false,
  };
  expect(readIncarnation(process, [putOff]).handlings).toEqual([]);
});

test('tenures end as they ended', () => {
  const lost = (refusal: string): Entry => ({ type: 'lost', at: 20, partition: 1, refusal, why: '' });
  const ends = (...entries: Entry[]) =>
    readIncarnation(process, [acquired(1, 1), ...entries]).tenures.map(({ until, how }) => [until, how]);
  expect(ends({ type: 'released', at: 10, partition: 1 })).toEqual([[10, 'released']]);
  expect(ends(lost(''))).toEqual([[20, 'lost']]);
  expect(ends(lost('FENCED'))).toEqual([[20, 'lost']]);
  expect(ends(lost('NOGROUP'))).toEqual([[20, 'ungrouped']]);
  expect(ends(lost(''), acquired(30, 3))).toEqual([
    [20, 'lost'],
    [undefined, undefined],
  ]);
});

test('what a process still held ended with it', () => {
  const held = [acquired(1, 1)];
  const told = (facts: Partial<Incarnation>) => readIncarnation({ ...process, ...facts }, held).tenures[0];
  expect(told({ killedAt: 50, endedAt: 51 })).toMatchObject({ until: 50, how: 'killed' });
  expect(told({ endedAt: 51 })).toMatchObject({ until: 51, how: 'ended' });
});

test('a close that the process was killed in has no end', () => {
  const { closings } = readIncarnation(process, [{ type: 'closing', at: 5, budget: 100 }]);
  expect(closings).toEqual([expect.objectContaining({ at: 5, budget: 100, took: undefined })]);
});

test('changed bytes and vanished entries are seen', () => {
  const entries: Entry[] = [
    { type: 'corrupt', at: 1, partition: 1, id: 'a', what: 'other bytes' },
    { type: 'gone', at: 2, partition: 1, ids: ['b', 'c'] },
  ];
  expect(readIncarnation(process, entries).sightings.map(({ what }) => what)).toEqual([
    'consumer-0#1 got 1/a: other bytes',
    'consumer-0#1 found entries of partition 1 gone: b c',
  ]);
});

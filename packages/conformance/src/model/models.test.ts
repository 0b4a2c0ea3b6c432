import { describe, expect, test } from '@jest/globals';
import { type CountModel, countsBy } from './counts.ts';
import { FixedWindowsModel } from './fixed-windows.ts';
import { SessionsModel } from './sessions.ts';
import { events } from '../input.ts';
import { aVariant } from '../test-support/fakes.ts';

/** By a model, with a watermark of the largest time − 1. */
function counts(newModel: () => CountModel, text: string, partitions = 1) {
  const { messages } = aVariant(partitions, { input: events(text) });
  const { sinks, late } = countsBy(newModel, 0)(messages);
  return { out: sinks['out'], late: late['windows'] };
}

describe('the model of fixed windows', () => {
  test('tumbling: by end, then key; late is what comes behind the last millisecond', () => {
    expect(counts(() => new FixedWindowsModel(10, 10), 'b@1 a@9 a@10 a@9 c@-1 c@35')).toEqual({
      out: ['a [0,10) 1', 'b [0,10) 1', 'a [10,20) 1', 'c [30,40) 1'],
      late: 2,
    });
  });

  test('sliding: late for one window, in time for another', () => {
    expect(counts(() => new FixedWindowsModel(10, 5), 'k@6 k@13 k@8')).toEqual({
      out: ['k [0,10) 1', 'k [5,15) 3', 'k [10,20) 1'],
      late: 0,
    });
  });

  test('gaps', () => {
    expect(counts(() => new FixedWindowsModel(5, 10), 'k@1 k@7 k@20 k@8 k@3')).toEqual({
      out: ['k [0,5) 1', 'k [20,25) 1'],
      late: 1,
    });
  });

  test('each partition has its own time', () => {
    const late = (partitions: number) =>
      counts(() => new FixedWindowsModel(10, 10), 'a@100 b@5', partitions).late;
    expect([late(1), late(4)]).toEqual([1, 0]);
  });
});

describe('the model of sessions', () => {
  test('a record bridges two; those that touch stay apart', () => {
    expect(counts(() => new SessionsModel(10), 'a@0 b@3 a@9 b@9 b@13')).toEqual({
      out: ['a [0,19) 2', 'b [3,23) 3'],
      late: 0,
    });
    expect(counts(() => new SessionsModel(10), 'a@0 a@10').out).toEqual(['a [0,10) 1', 'a [10,20) 1']);
  });

  test('late is decided for the session that a record joins; closed ones are gone', () => {
    expect(counts(() => new SessionsModel(10), 'k@0 k@8 z@15 k@2 j@2 z@30 k@16 k@21')).toEqual({
      out: ['k [0,18) 3', 'z [15,25) 1', 'k [21,31) 1', 'z [30,40) 1'],
      late: 2,
    });
  });
});

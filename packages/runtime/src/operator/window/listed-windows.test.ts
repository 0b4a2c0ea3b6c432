import { describe, expect, test } from '@jest/globals';
import type { Window, WindowAssigner } from '@rs/core';
import { EventTimeTrigger } from '@rs/window';
import { errorOf } from '../../test-support/error-of.ts';
import { type Item, WindowRun } from '../../test-support/window-run.ts';

function assigner(assign: (item: Item, timestamp: number) => readonly Window[]): WindowAssigner<Item> {
  return {
    timeDomain: 'event',
    assignWindows: assign,
    getDefaultTrigger: () => EventTimeTrigger.create(),
    supportsWindowMerging: () => false,
    describe: () => 'mine',
  };
}

/** A window of a length that depends on the element, and one that all elements share. */
const mixed = assigner(({ n }, timestamp) => [
  { start: timestamp, end: timestamp + n },
  { start: 0, end: 100 },
]);

describe('windows of a custom assigner', () => {
  test('are whatever it says, on no grid and of any length', () => {
    const run = new WindowRun(mixed);
    run.add('k', 3, 10).add('k', 30, 10).add('k', 3, 10).add('j', 5, 12).watermark(20);
    expect(run.results()).toEqual(['k [10,13) 3,3', 'j [12,17) 5']);
    run.end();
    expect(run.results()).toEqual(['k [10,40) 30', 'j [0,100) 5', 'k [0,100) 3,30,3']);
    expect(run.leftovers()).toEqual([]);
  });

  test('two windows with one start are two windows', () => {
    const run = new WindowRun(
      assigner((_item, time) => [20, 10].map((end) => ({ start: 0, end: end + 0 * time }))),
    );
    run.add('k', 1, 5).watermark(9).add('k', 2, 6).watermark(19);
    expect(run.results()).toEqual(['k [0,10) 1', 'k [0,20) 1,2']);
  });

  test('an element is late when it is for all of its windows', () => {
    const run = new WindowRun(mixed);
    run.watermark(50).add('k', 3, 10);
    expect(run.late).toEqual([]);
    run.watermark(99).add('k', 3, 10);
    expect([run.results(), run.output('late').values]).toEqual([['k [0,100) 3'], ['k 3']]);
  });

  test('no window: the element counts nowhere and is not late', () => {
    const run = new WindowRun(assigner(() => []));
    run.watermark(50).add('k', 1, 10).end();
    expect([run.results(), run.late, run.leftovers()]).toEqual([[], [], []]);
  });

  test('a window may be longer than the window bounds of any date', () => {
    const run = new WindowRun(
      assigner(() => [{ start: Number.MIN_SAFE_INTEGER, end: Number.MAX_SAFE_INTEGER }]),
    );
    run.add('k', 1, 0).add('k', 2, 1e15).watermark(1e15).end();
    expect(run.results()).toEqual([`k [${Number.MIN_SAFE_INTEGER},${Number.MAX_SAFE_INTEGER}) 1,2`]);
  });

  test.each<[string, Window]>([
    ['NaN', { start: NaN, end: 10 }],
    ['a part of a millisecond', { start: 0, end: 10.5 }],
    ['text', { start: '0', end: '10' } as never],
  ])('%s as a bound fails the run', (_name, window) => {
    const run = new WindowRun(assigner(() => [window]));
    expect(errorOf(() => run.add('k', 1, 5)).code).toBe('RS_INVALID_TIMESTAMP');
    expect([run.task.failed, run.leftovers()]).toEqual([true, []]);
  });

  test('an empty window fails the run', () => {
    for (const end of [0, -1]) {
      const error = errorOf(() => new WindowRun(assigner(() => [{ start: 0, end }])).add('k', 1, 5));
      expect([error.code, error.message]).toEqual([
        'RS_INVALID_VALUE',
        `window 'apply': the assigner gave the empty window [0, ${end})`,
      ]);
    }
  });

  test('an assigner that throws fails the run', () => {
    const failing = assigner(() => {
      throw new Error('boom');
    });
    expect(errorOf(() => new WindowRun(failing).add('k', 1, 5)).message).toBe("window 'apply' failed: boom");
  });
});

import { describe, expect, test } from '@jest/globals';
import type { Window, WindowAssigner } from '@rs/core';
import { WatermarkStrategy } from '@rs/watermark';
import { CountTrigger, EventTimeTrigger, PurgingTrigger, SessionWindow } from '@rs/window';
import { errorOf } from '../../test-support/error-of.ts';
import { JobRun } from '../../test-support/job-run.ts';
import { type Item, WindowRun } from '../../test-support/window-run.ts';

function permutations<T>(all: readonly T[]): T[][] {
  if (all.length === 0) return [[]];
  return all.flatMap((one, index) =>
    permutations(all.filter((_, other) => other !== index)).map((rest) => [one, ...rest]),
  );
}

describe('sessions', () => {
  test.each([[[1, 9, 5]], [[1, 9, 5, 5]], [[1, 4, 8, 12]]])('%j are one session in every order', (times) => {
    for (const order of permutations(times)) {
      const run = new WindowRun(SessionWindow.withGap(5), { keep: 'sum' });
      run.add('j', 1, 9);
      for (const time of order) run.add('k', 1, time);
      const [first, last] = [Math.min(...times), Math.max(...times)];
      expect(run.leftovers().sort()).toEqual([
        'event timer j@13',
        `event timer k@${last + 4}`,
        'sessions j',
        'sessions k',
        'windows j',
        'windows k',
      ]);
      run.end();
      expect(run.results().sort()).toEqual(['j [9,14) 1', `k [${first},${last + 5}) ${times.length}`]);
      expect(run.leftovers()).toEqual([]);
    }
  });

  test('of the golden examples, gap 100', () => {
    const sessions = (...times: number[]) => {
      const run = new WindowRun(SessionWindow.withGap(100), { keep: 'sum' });
      for (const time of times) run.add('k', 1, time);
      return run.end().results();
    };
    expect(sessions(0, 50, 120, 170)).toEqual(['k [0,270) 4']);
    expect(sessions(0, 100)).toEqual(['k [0,100) 1', 'k [100,200) 1']);
    expect(sessions(0, 150, 80)).toEqual(['k [0,250) 3']);
    expect(sessions(-50, -150, 20)).toEqual(['k [-150,-50) 1', 'k [-50,120) 2']);
  });

  test('that only touch can be merged', () => {
    const run = new WindowRun(SessionWindow.withGap(100, { touching: 'merge' }), { keep: 'sum' });
    for (const time of [0, 200, 100]) run.add('k', 1, time);
    expect(run.end().results()).toEqual(['k [0,300) 3']);
  });

  test('elements of merged sessions stand in the order of the sessions, the new one last', () => {
    const run = new WindowRun(SessionWindow.withGap(5));
    run.add('k', 9, 9).add('k', 10, 10).add('k', 1, 1).add('k', 5, 5);
    expect(run.end().results()).toEqual(['k [1,15) 1,9,10,5']);
  });

  test('one element may bridge many', () => {
    const run = new WindowRun(SessionWindow.withGap(10), { keep: 'sum' });
    for (const time of [0, 20, 40]) run.add('k', 1, time);
    run.add('k', 1, 10).add('k', 1, 9).add('k', 1, 30).add('k', 1, 29).add('k', 1, 19);
    expect(run.end().results()).toEqual(['k [0,40) 7', 'k [40,50) 1']); // 39 and 40 are in two that only touch.
  });

  test('a session stays where it is found while it grows to both sides', () => {
    const run = new WindowRun(SessionWindow.withGap(5), { keep: 'sum' });
    run.add('k', 1, 100);
    for (let step = 1; step <= 20; step++) run.add('k', 1, 100 + 4 * step).add('k', 1, 100 - 4 * step);
    expect(run.leftovers()).toEqual(['windows k', 'sessions k', 'event timer k@184']);
    expect(run.end().results()).toEqual(['k [20,185) 41']);
  });

  test('fire one by one as time passes, and leave only what is open', () => {
    const run = new WindowRun(SessionWindow.withGap(5));
    run.add('k', 1, 0).add('k', 2, 10).add('k', 3, 20).watermark(4);
    expect(run.results()).toEqual(['k [0,5) 1']);
    run.watermark(20);
    expect(run.results()).toEqual(['k [10,15) 2']);
    expect(run.leftovers()).toHaveLength(4);
    run.watermark(24);
    expect([run.results(), run.leftovers()]).toEqual([['k [20,25) 3'], []]);
  });

  test('with early firings of a count: merged counts add up, and the surplus fires once', () => {
    const run = new WindowRun(SessionWindow.withGap(5), { trigger: CountTrigger.of(3) });
    run.add('k', 1, 0).add('k', 2, 1).add('k', 3, 8).add('k', 4, 9);
    expect(run.results()).toEqual([]);
    run.add('k', 5, 5);
    expect(run.results()).toEqual(['k [0,14) 1,2,3,4,5']);
    run.add('k', 6, 6).end();
    expect([run.results(), run.leftovers()]).toEqual([['k [0,14) 1,2,3,4,5,6'], []]);
  });

  test('what a purge has taken from one of them is not in the merged one', () => {
    const run = new WindowRun(SessionWindow.withGap(5), { trigger: PurgingTrigger.of(CountTrigger.of(2)) });
    run.add('k', 1, 0).add('k', 2, 1).add('k', 3, 8);
    expect(run.results()).toEqual(['k [0,6) 1,2']);
    run.add('k', 4, 5).end();
    expect([run.results(), run.leftovers()]).toEqual([['k [0,13) 3,4'], []]);
  });

  test('the merged bounds are those the window function sees, also for aggregates', () => {
    const run = new JobRun<number>((input) =>
      input
        .assignTimestampsAndWatermarks(
          WatermarkStrategy.forBoundedOutOfOrderness<number>(100).withTimestampAssigner(
            (time: number) => time,
          ),
        )
        .keyBy(() => 'k')
        .window(SessionWindow.withGap(5))
        .reduce(
          (a, b) => Math.max(a, b),
          (latest, { key, window }) => `${key} ${window.start}-${window.end}: ${latest}`,
        ),
    );
    for (const time of [9, 1, 5]) run.feed([time, 0]);
    expect(run.end().output().records).toEqual([['k 1-14: 9', 13]]);
  });
});

describe('a merging assigner', () => {
  const assigner = (assign: () => readonly Window[]): WindowAssigner<Item> => ({
    timeDomain: 'event',
    assignWindows: assign,
    getDefaultTrigger: () => EventTimeTrigger.create(),
    supportsWindowMerging: () => true,
    describe: () => 'mine',
  });

  test.each<[string, readonly Window[], string]>([
    ['no window', [], 'RS_INVALID_VALUE'],
    ['two windows', [{ start: 0, end: 1 }, { start: 5, end: 6 }], 'RS_INVALID_VALUE'],
    ['an empty window', [{ start: 5, end: 5 }], 'RS_INVALID_VALUE'],
    ['a window after all time', [{ start: Infinity, end: Infinity }], 'RS_INVALID_TIMESTAMP'],
    ['NaN', [{ start: NaN, end: 5 }], 'RS_INVALID_TIMESTAMP'],
  ])('that gives %s fails the run', (_name, windows, code) => {
    const run = new WindowRun(assigner(() => windows));
    expect(errorOf(() => run.add('k', 1, 5)).code).toBe(code);
    expect([run.task.failed, run.leftovers()]).toEqual([true, []]);
  }); // prettier-ignore

  test('that throws fails the run', () => {
    const failing = assigner(() => {
      throw new Error('boom');
    });
    expect(errorOf(() => new WindowRun(failing).add('k', 1, 5)).code).toBe('RS_USER_FUNCTION_FAILED');
  });

  test('may give windows of different lengths', () => {
    const lengths = [3, 30, 4];
    let next = 0;
    const run = new WindowRun(
      assigner(() => [{ start: 10 * next, end: 10 * next + (lengths[next++] ?? 1) }]),
    );
    run.add('k', 1, 0).add('k', 2, 0).add('k', 3, 0).end();
    expect(run.results()).toEqual(['k [0,3) 1', 'k [10,40) 2,3']);
  });
});

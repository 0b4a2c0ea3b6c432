import { describe, expect, test } from '@jest/globals';
import { type Trigger, type TriggerResult, valueState } from '@rs/core';
import { CountTrigger, PurgingTrigger, SessionWindow, SlidingWindow, TumblingWindow } from '@rs/window';
import { errorOf } from '../../test-support/error-of.ts';
import { type Item, WindowRun } from '../../test-support/window-run.ts';

const SEEN = valueState('seen', { default: () => 0 });

/** Answers every second element, and the end of the window. */
function everySecond(onSecond: TriggerResult, atEnd: TriggerResult = 'FIRE'): Trigger<Item> {
  return {
    states: [SEEN],
    onElement(_element, _timestamp, _window, ctx) {
      const seen = ctx.state(SEEN);
      seen.update(seen.value() + 1);
      ctx.registerEventTimeTimer(ctx.closingTime);
      return seen.value() % 2 === 0 ? onSecond : 'CONTINUE';
    },
    onEventTime: () => atEnd,
    onProcessingTime: () => 'CONTINUE',
    onMerge: (_merged, _absorbed, ctx) => ctx.mergeState(SEEN, (a, b) => a + b),
  };
}

/** Windows in which the elements of these tests, at 1, 2 and 3, are together. */
const ASSIGNERS = {
  tumbling: { assigner: TumblingWindow.of(10), window: '[0,10)' },
  'sliding without overlap': { assigner: SlidingWindow.of(10, 10), window: '[0,10)' },
  sessions: { assigner: SessionWindow.withGap(9), window: '[1,12)' },
};

describe.each(Object.entries(ASSIGNERS))(
  'what a trigger’s result does: %s',
  (_name, { assigner, window }) => {
    const threeElements = (trigger: Trigger<Item>) => {
      const run = new WindowRun(assigner, { trigger, keep: 'sum' });
      run.add('k', 1, 1).add('k', 2, 2).add('k', 3, 3);
      return run;
    };

    test.each<[TriggerResult, number[], number[]]>([
      ['CONTINUE', [], [6]],
      ['FIRE', [3], [6]],
      ['FIRE_AND_PURGE', [3], [3]],
      ['PURGE', [], [3]],
    ])('%s on the 2nd element', (result, early, atClose) => {
      const session = assigner instanceof SessionWindow;
      const run = threeElements(everySecond(result));
      const bounds = session ? '[1,11)' : window; // After two elements the session ends at 11.
      expect(run.results()).toEqual(early.map((sum) => `k ${bounds} ${sum}`));
      run.watermark(20);
      expect(run.results()).toEqual(atClose.map((sum) => `k ${window} ${sum}`));
      expect(run.leftovers()).toEqual([]);
      run.end();
      expect(run.results()).toEqual([]);
    });

    test.each<[TriggerResult, number[]]>([
      ['CONTINUE', []],
      ['FIRE', [6]],
      ['FIRE_AND_PURGE', [6]],
      ['PURGE', []],
    ])('%s when the window closes', (result, sums) => {
      const run = threeElements(everySecond('CONTINUE', result));
      run.watermark(20);
      expect(run.results()).toEqual(sums.map((sum) => `k ${window} ${sum}`));
      expect(run.leftovers()).toEqual([]);
    });

    test('a window purged on its last element has no empty result when it closes', () => {
      const run = new WindowRun(assigner, { trigger: everySecond('FIRE_AND_PURGE') });
      run.add('k', 1, 1).add('k', 2, 2);
      expect(run.results()).toHaveLength(1);
      run.watermark(20).end();
      expect([run.results(), run.leftovers()]).toEqual([[], []]);
    });

    test('keys do not share a trigger’s state', () => {
      const run = new WindowRun(assigner, { trigger: everySecond('FIRE') });
      run.add('a', 1, 1).add('b', 2, 2);
      expect(run.results()).toEqual([]);
      run.add('a', 3, 3);
      expect(run.results()).toEqual([expect.stringMatching(/^a \[\d,\d+\) 1,3$/)]);
    });

    test('built-in triggers fire and leave nothing behind', () => {
      const count = new WindowRun(assigner, { trigger: CountTrigger.of(2) });
      count.add('k', 1, 1).add('k', 2, 2).add('k', 3, 3);
      expect(count.results()).toEqual([expect.stringMatching(/1,2$/)]);
      count.watermark(20);
      expect([count.results(), count.leftovers()]).toEqual([[], []]); // The rest is nobody's before the end of the input.
      const purging = new WindowRun(assigner, { trigger: PurgingTrigger.of(CountTrigger.of(2)) });
      for (const n of [1, 2, 3, 4, 5]) purging.add('k', n, 3);
      expect(purging.results()).toEqual([expect.stringMatching(/ 1,2$/), expect.stringMatching(/ 3,4$/)]);
      purging.end();
      expect([purging.results(), purging.leftovers()]).toEqual([[expect.stringMatching(/ 5$/)], []]);
    });
  },
);

describe('the end of the input', () => {
  test('emits contents that no firing has emitted, whatever the trigger says', () => {
    for (const atEnd of ['CONTINUE', 'FIRE', 'FIRE_AND_PURGE'] as const) {
      const run = new WindowRun(TumblingWindow.of(10), { trigger: everySecond('FIRE', atEnd) });
      run.add('k', 1, 1).add('k', 2, 2).add('k', 3, 3);
      run.results();
      run.end();
      expect([run.results(), run.leftovers()]).toEqual([['k [0,10) 1,2,3'], []]);
    }
  });

  test('does not repeat a firing that kept its contents', () => {
    const run = new WindowRun(TumblingWindow.of(10), { trigger: CountTrigger.of(2) });
    run.add('k', 1, 1).add('k', 2, 2).end();
    expect(run.results()).toEqual(['k [0,10) 1,2']);
  });

  test('does not bring back what was purged', () => {
    const run = new WindowRun(TumblingWindow.of(10), { trigger: everySecond('PURGE', 'CONTINUE') });
    run.add('k', 1, 1).add('k', 2, 2).end();
    expect(run.results()).toEqual([]);
  });

  test('a window that a trigger purges at its closing time is purged', () => {
    const run = new WindowRun(TumblingWindow.of(10), { trigger: everySecond('CONTINUE', 'PURGE') });
    run.add('k', 1, 1).end();
    expect([run.results(), run.leftovers()]).toEqual([[], []]);
  });

  test('comes after all windows, and windows come in the order of their time, then key', () => {
    const run = new WindowRun(TumblingWindow.of(10));
    run.add('b', 1, 25).add('b', 2, 5).add('a', 3, 5).end();
    expect(run.output().trace).toEqual(['a [0,10) 3@9', 'b [0,10) 2@9', 'b [20,30) 1@29', 'end']);
  });
});

describe('results', () => {
  test('carry the last millisecond of their window, no key, and come before the watermark', () => {
    const run = new WindowRun(TumblingWindow.of(10));
    run.add('k', 1, 3).watermark(8).watermark(9).watermark(10);
    expect(run.output().trace).toEqual(['w8', 'k [0,10) 1@9', 'w9', 'w10']);
    expect(run.output().keys).toEqual([undefined]);
  });

  test('an early firing carries it too', () => {
    const run = new WindowRun(TumblingWindow.of(10), { trigger: CountTrigger.of(1) });
    run.add('k', 1, 3);
    expect(run.output().trace).toEqual(['k [0,10) 1@9']);
  });
});

describe('a trigger that answers something else', () => {
  const answering = (answer: unknown) => {
    const trigger: Trigger<Item> = { ...everySecond('FIRE'), onElement: () => answer as TriggerResult };
    return errorOf(() => new WindowRun(TumblingWindow.of(10), { trigger }).add('k', 1, 1));
  };

  test.each([[undefined], [null], ['fire'], [true]])('%p fails the run', (answer) => {
    expect(answering(answer)).toMatchObject({ code: 'RS_INVALID_VALUE' });
  });

  test('a promise fails it as one, and its rejection does not surface by itself', async () => {
    expect(answering(Promise.reject(new Error('late')))).toMatchObject({ code: 'RS_ASYNC_NOT_ALLOWED' });
    await new Promise((resolve) => setImmediate(resolve));
  });

  test('an exception fails it and names the operator', () => {
    const boom = () => {
      throw new Error('boom');
    };
    const run = (trigger: Partial<Trigger<Item>>) => () =>
      new WindowRun(TumblingWindow.of(10), { trigger: { ...everySecond('FIRE'), ...trigger } })
        .add('k', 1, 1)
        .end();
    for (const part of [{ onElement: boom }, { onEventTime: boom }, { clear: boom }]) {
      expect(errorOf(run(part))).toMatchObject({
        code: 'RS_USER_FUNCTION_FAILED',
        message: "window 'apply' failed: boom",
      });
    }
  });
});

import { describe, expect, test } from '@jest/globals';
import { listState, type TriggerContext, valueState } from '@rs/core';
import { EventTimeTrigger, ProcessingTimeTrigger, SessionWindow, TumblingWindow } from '@rs/window';
import { errorOf } from '../../test-support/error-of.ts';
import { onElement, scripted } from '../../test-support/scripted-trigger.ts';
import { WindowRun } from '../../test-support/window-run.ts';

const MEMO = valueState<string>('memo');
const LIST = listState<number>('list');

describe('timers of a trigger', () => {
  test('come once, at their times; one per window and time', () => {
    const { asked, trigger } = scripted(
      onElement((ctx) => [4, 7, 7].forEach((time) => ctx.registerEventTimeTimer(time))),
    );
    const run = new WindowRun(TumblingWindow.of(10), { trigger });
    run.add('k', 1, 1).add('k', 2, 2).watermark(4);
    expect(asked).toEqual(['e4 0']);
    run.watermark(8);
    expect(asked).toEqual(['e4 0', 'e7 0']);
    run.watermark(9);
    expect(run.leftovers()).toEqual([]);
  });

  test('only those it asked for: the end of a window is none of them', () => {
    const { asked, trigger } = scripted();
    const run = new WindowRun(TumblingWindow.of(10), { trigger, lateness: 5 });
    run.add('k', 1, 1).watermark(14);
    expect([asked, run.leftovers()]).toEqual([[], []]);
    const flat = new WindowRun(TumblingWindow.of(10), { trigger });
    flat.add('k', 1, 1).watermark(9);
    expect([asked, flat.leftovers()]).toEqual([[], []]);
  });

  test.each<[string, number, string[]]>([
    ['at its closing time', 9, ['e9 0']],
    ['at its cleanup time', 14, ['e14 0']],
  ])('one %s comes', (_name, time, expected) => {
    const { asked, trigger } = scripted(onElement((ctx) => ctx.registerEventTimeTimer(time)));
    const run = new WindowRun(TumblingWindow.of(10), { trigger, lateness: 5 });
    run.add('k', 1, 1).watermark(20);
    expect([asked, run.leftovers()]).toEqual([expected, []]);
  });

  test('one beyond its cleanup time does not: the window is gone by then', () => {
    const { asked, trigger } = scripted(
      onElement((ctx) => {
        ctx.registerEventTimeTimer(15);
        ctx.registerProcessingTimeTimer(1e9);
      }),
    );
    const run = new WindowRun(TumblingWindow.of(10), { trigger, lateness: 5 });
    run.add('k', 1, 1).watermark(14);
    expect([asked, run.leftovers()]).toEqual([[], []]);
  });

  test.each<[string, number, (ctx: TriggerContext) => void]>([
    ['any', 4, (ctx) => ctx.deleteEventTimeTimer(4)],
    ['one at the closing time', 9, (ctx) => ctx.deleteEventTimeTimer(ctx.closingTime)],
    ['one at the cleanup time', 14, (ctx) => ctx.deleteEventTimeTimer(14)],
  ])('can be deleted: %s', (_name, time, remove) => {
    for (const lateness of time === 9 ? [0, 5] : [5]) {
      const { asked, trigger } = scripted(
        onElement((ctx, { n }) => (n === 1 ? ctx.registerEventTimeTimer(time) : remove(ctx))),
      );
      const run = new WindowRun(TumblingWindow.of(10), { trigger, lateness });
      run.add('k', 1, 1).add('k', 2, 2).watermark(20);
      expect([asked, run.leftovers()]).toEqual([[], []]);
    }
  });

  test('deleting a processing timer that is not there does nothing', () => {
    const { asked, trigger } = scripted(
      onElement((ctx) => {
        ctx.registerProcessingTimeTimer(5);
        ctx.deleteProcessingTimeTimer(5);
        ctx.deleteProcessingTimeTimer(6);
      }),
    );
    new WindowRun(TumblingWindow.of(10), { trigger }).add('k', 1, 1).end();
    expect(asked).toEqual([]);
  });

  test('a callback may register the next one', () => {
    const { asked, trigger } = scripted({
      ...onElement((ctx) => ctx.registerEventTimeTimer(2)),
      onEventTime: (time, _window, ctx) => {
        asked.push(`e${time}`);
        ctx.registerEventTimeTimer(time + 3);
        return time === 5 ? 'FIRE' : 'CONTINUE';
      },
    });
    const run = new WindowRun(TumblingWindow.of(10), { trigger });
    run.add('k', 1, 1).watermark(20);
    expect([asked, run.results(), run.leftovers()]).toEqual([['e2', 'e5', 'e8'], ['k [0,10) 1'], []]);
  });

  test('of processing time come when that millisecond is over, and at the end', () => {
    const { asked, trigger } = scripted(onElement((ctx) => ctx.registerProcessingTimeTimer(50)));
    const run = new WindowRun(TumblingWindow.of(1000), { trigger });
    run.add('k', 1, 10).add('k', 2, 50);
    expect(asked).toEqual([]);
    run.add('k', 3, 51);
    expect(asked).toEqual(['p50 0', 'p50 0']); // The third element asked for it anew; it was due at once.
    run.end();
    expect([asked.length, run.leftovers()]).toEqual([2, []]);
  });

  test('early firings beside the usual one', () => {
    const { trigger } = scripted({
      ...onElement((ctx, _item, window) => {
        ctx.registerEventTimeTimer(window.start + 5);
        ctx.registerEventTimeTimer(ctx.closingTime);
      }),
      onEventTime: () => 'FIRE',
    });
    const run = new WindowRun(TumblingWindow.of(10), { trigger });
    run.add('k', 1, 1).watermark(5).add('k', 2, 6).watermark(9);
    // The second element asked for the early time again, which had passed.
    expect(run.results()).toEqual(['k [0,10) 1', 'k [0,10) 1,2', 'k [0,10) 1,2']);
  });

  test.each([[NaN], [Infinity], [1.5], ['5']])('%p is no time', (bad) => {
    for (const kind of ['registerEventTimeTimer', 'registerProcessingTimeTimer'] as const) {
      const { trigger } = scripted(onElement((ctx) => ctx[kind](bad as never)));
      const run = new WindowRun(TumblingWindow.of(10), { trigger });
      expect(errorOf(() => run.add('k', 1, 1)).code).toBe('RS_INVALID_TIMESTAMP');
    }
  });

  test('an event-time trigger on processing-time windows leaves no timer behind', () => {
    const run = new WindowRun(TumblingWindow.of(10, { time: 'processing' }), {
      trigger: EventTimeTrigger.create(),
    });
    run.add('k', 1, 1).add('k', 2, 12);
    expect(run.leftovers().filter((one) => one.includes('timer'))).toEqual([
      'event timer k@19',
      'processing timer k@19',
    ]);
    run.end();
    expect(run.leftovers()).toEqual([]);
  });

  test('a processing-time trigger on event-time windows leaves no timer behind', () => {
    const run = new WindowRun(TumblingWindow.of(10), { trigger: ProcessingTimeTrigger.create() });
    run.add('k', 1, 1).watermark(9);
    expect([run.results(), run.leftovers()]).toEqual([[], []]);
  });
});

describe('what a trigger sees', () => {
  test('watermark, processing time, closing time and its window', () => {
    const seen: unknown[] = [];
    const { trigger } = scripted(
      onElement((ctx, { n }, window) =>
        seen.push([n, window, ctx.currentWatermark(), ctx.currentProcessingTime(), ctx.closingTime]),
      ),
    );
    const run = new WindowRun(TumblingWindow.of(10), { trigger });
    run.add('k', 1, 5).watermark(7).add('k', 2, 13);
    expect(seen).toEqual([
      [1, { start: 0, end: 10 }, -Infinity, 5, 9],
      [2, { start: 10, end: 20 }, 7, 13, 19],
    ]);
  });

  test('nothing after the call: its context throws', () => {
    let kept: TriggerContext | undefined;
    const { trigger } = scripted({ states: [MEMO], ...onElement((ctx) => (kept = ctx)) });
    new WindowRun(TumblingWindow.of(10), { trigger }).add('k', 1, 1);
    const uses: ((ctx: TriggerContext) => unknown)[] = [
      (ctx) => ctx.closingTime,
      (ctx) => ctx.registerEventTimeTimer(1),
      (ctx) => ctx.registerProcessingTimeTimer(1),
      (ctx) => ctx.deleteEventTimeTimer(1),
      (ctx) => ctx.deleteProcessingTimeTimer(1),
      (ctx) => ctx.state(MEMO),
    ];
    for (const use of uses) expect(errorOf(() => use(kept as TriggerContext)).code).toBe('RS_CONTEXT_CLOSED');
  });

  test('clear is called once, when the window is gone, and timers it registers are gone too', () => {
    const cleared: unknown[] = [];
    const { asked, trigger } = scripted({
      states: [MEMO],
      ...onElement((ctx) => ctx.state(MEMO).update('there')),
      clear: (window, ctx) => {
        cleared.push([window, ctx.state(MEMO).value()]);
        ctx.registerEventTimeTimer(1e9);
      },
    });
    const run = new WindowRun(TumblingWindow.of(10), { trigger, lateness: 5 });
    run.add('k', 1, 1).watermark(13);
    expect(cleared).toEqual([]);
    run.watermark(14).end();
    expect([cleared, asked, run.leftovers()]).toEqual([[[{ start: 0, end: 10 }, 'there']], [], []]);
  });
});

describe('state of a trigger', () => {
  test('is per key and window, and gone with the window', () => {
    const seen: unknown[] = [];
    const { trigger } = scripted({
      states: [MEMO, LIST],
      ...onElement((ctx, { key, n }, window) => {
        const memo = ctx.state(MEMO);
        ctx.state(LIST).add(n);
        seen.push([key, window.start, memo.value(), ctx.state(LIST).get()]);
        memo.update(`${key}${n}`);
      }),
    });
    const run = new WindowRun(TumblingWindow.of(10), { trigger });
    run.add('a', 1, 1).add('b', 2, 2).add('a', 3, 3).add('a', 4, 14);
    expect(seen).toEqual([
      ['a', 0, undefined, [1]],
      ['b', 0, undefined, [2]],
      ['a', 0, 'a1', [1, 3]],
      ['a', 10, undefined, [4]],
    ]);
    run.watermark(9);
    expect(run.leftovers().filter((one) => one.startsWith('trigger.'))).toEqual([
      'trigger.memo a',
      'trigger.list a',
    ]);
    run.watermark(19);
    expect(run.leftovers()).toEqual([]);
  });

  test('that is not in its states is an error that names it', () => {
    const { trigger } = scripted(onElement((ctx) => ctx.state(MEMO)));
    const error = errorOf(() => new WindowRun(TumblingWindow.of(10), { trigger }).add('k', 1, 1));
    expect([error.code, error.details]).toEqual([
      'RS_STATE_UNDECLARED',
      { state: 'memo', operator: "window 'apply'" },
    ]);
  });
});

describe('onMerge', () => {
  test('finds the timers of the absorbed windows gone; only those it asks for come', () => {
    const early = onElement((ctx, { n }, window) => {
      if (n !== 1) return;
      ctx.registerEventTimeTimer(window.start + 1);
      ctx.registerEventTimeTimer(ctx.closingTime);
    });
    const silent = scripted({ ...early, onMerge: () => undefined });
    const run = new WindowRun(SessionWindow.withGap(5), { trigger: silent.trigger });
    run.add('k', 1, 10).add('k', 2, 12).watermark(16);
    expect([silent.asked, run.leftovers()]).toEqual([[], []]);
    const asking = scripted({
      ...early,
      onMerge: (_merged, _absorbed, ctx) => ctx.registerEventTimeTimer(ctx.closingTime),
    });
    const other = new WindowRun(SessionWindow.withGap(5), { trigger: asking.trigger });
    other.add('k', 1, 10).add('k', 2, 12).watermark(16);
    expect([asking.asked, other.leftovers()]).toEqual([['e16 10'], []]);
  });
});

import {
  listState,
  type Trigger,
  type TriggerContext,
  type TriggerResult,
  valueState,
  type Window,
} from '@rs/core';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { FakeTriggerContext } from '../test-support/fake-trigger-context.ts';
import { WindowRun } from '../test-support/window-run.ts';
import { TimeWindow } from '../time-window.ts';
import { AnyTrigger } from './any-trigger.ts';
import { ContinuousEventTimeTrigger } from './continuous-event-time-trigger.ts';
import { ContinuousProcessingTimeTrigger } from './continuous-processing-time-trigger.ts';
import { CountTrigger } from './count-trigger.ts';
import { DeltaTrigger } from './delta-trigger.ts';
import { EventTimeTrigger } from './event-time-trigger.ts';
import { NeverTrigger } from './never-trigger.ts';
import { PurgingTrigger } from './purging-trigger.ts';

const window = new TimeWindow(0, 35);
const RESULTS = ['CONTINUE', 'FIRE', 'PURGE', 'FIRE_AND_PURGE'] as const satisfies TriggerResult[];

/** Gives one answer to everything, counts how often it was asked, and cannot merge. */
class Answering implements Trigger<unknown> {
  asked = 0;
  readonly #answer: TriggerResult;

  constructor(answer: TriggerResult) {
    this.#answer = answer;
  }

  onElement(): TriggerResult {
    return this.#given();
  }

  onEventTime(): TriggerResult {
    return this.#given();
  }

  onProcessingTime(): TriggerResult {
    return this.#given();
  }

  #given(): TriggerResult {
    this.asked += 1;
    return this.#answer;
  }
}

/** What some answers do together: `fire`, `purge`, both or neither. */
function effects(answers: readonly string[]): { fire: boolean; purge: boolean } {
  return {
    fire: answers.some((answer) => answer.includes('FIRE')),
    purge: answers.some((answer) => answer.includes('PURGE')),
  };
}

describe('AnyTrigger', () => {
  test('fires when any part fires, purges when any part purges, and asks all of them', () => {
    for (const a of RESULTS) {
      for (const b of RESULTS) {
        for (const c of RESULTS) {
          const parts = [new Answering(a), new Answering(b), new Answering(c)];
          const trigger = AnyTrigger.of(...parts);
          const ctx = new FakeTriggerContext(34, trigger.states);
          const results = [
            trigger.onElement('e', 0, window, ctx),
            trigger.onEventTime(5, window, ctx),
            trigger.onProcessingTime(5, window, ctx),
          ];
          for (const result of results) expect(effects([result])).toEqual(effects([a, b, c]));
          expect(parts.map(({ asked }) => asked)).toEqual([3, 3, 3]);
        }
      }
    }
  });

  test('parts that are alike keep their states apart, under the names of their positions', () => {
    const twice = CountTrigger.of(3);
    const trigger = AnyTrigger.of(CountTrigger.of(2), twice, twice);
    expect(trigger.states.map(({ name }) => name)).toEqual(['0.count', '1.count', '2.count']);
    const run = new WindowRun(trigger, window).element('a', 0);
    expect(Object.fromEntries(run.ctx.stored)).toEqual({ '0.count': 1, '1.count': 1, '2.count': 1 });
    const firing = [2, 3, 4, 5, 6, 7].filter(() => run.element('e', 0).answers().length > 0);
    expect(firing).toEqual([2, 3, 4, 6]);
  });

  test('compositions can be composed, and purged', () => {
    const inner = AnyTrigger.of(CountTrigger.of(5), CountTrigger.of(4));
    const trigger = PurgingTrigger.of(AnyTrigger.of(inner, EventTimeTrigger.create(), inner));
    expect(trigger.states.map(({ name }) => name)).toEqual([
      '0.0.count',
      '0.1.count',
      '2.0.count',
      '2.1.count',
    ]);
    const run = new WindowRun(trigger, window);
    for (let i = 0; i < 5; i++) run.element(i, 0);
    expect(run.watermark(34).answers()).toEqual([
      'element FIRE_AND_PURGE',
      'element FIRE_AND_PURGE',
      'event 34 FIRE_AND_PURGE',
    ]);
  });

  test('a state keeps everything but its name', () => {
    const stored = DeltaTrigger.of(5, (a: number, b: number) => b - a, { schemaVersion: 3, ttl: 1000 });
    const [state] = AnyTrigger.of(stored).states;
    expect(state).toEqual({ ...stored.states[0], name: '0.last' });
    expect(Object.isFrozen(state)).toBe(true);
  });

  test('a part cannot use a state that it has not declared, not even one of another part', () => {
    const foreign = CountTrigger.of(2).states[0];
    class Nosy extends Answering {
      readonly states = [listState<string>('memo')];
      override onElement(_e?: unknown, _t?: number, _w?: Window, ctx?: TriggerContext): TriggerResult {
        ctx?.state(foreign);
        return 'CONTINUE';
      }
    }
    const run = new WindowRun(AnyTrigger.of(CountTrigger.of(2), new Nosy('CONTINUE')), window);
    expect(() => run.element('a', 0)).toThrow(
      expect.objectContaining({ code: 'RS_STATE_UNDECLARED', message: expect.stringContaining("'count'") }),
    );
  });

  test('a part sees times and sets and deletes timers as it would alone', () => {
    const seen: unknown[] = [];
    const watching: Trigger<string> = {
      states: [valueState<string>('memo')],
      onElement(_element, _timestamp, _window, ctx) {
        seen.push([ctx.closingTime, ctx.currentWatermark(), ctx.currentProcessingTime()]);
        for (const time of [1, 2]) {
          ctx.registerEventTimeTimer(100 + time);
          ctx.registerProcessingTimeTimer(200 + time);
        }
        ctx.deleteEventTimeTimer(101);
        ctx.deleteProcessingTimeTimer(201);
        return 'CONTINUE';
      },
      onEventTime: () => 'FIRE',
      onProcessingTime: () => 'FIRE',
    };
    const run = new WindowRun(AnyTrigger.of(watching), window).watermark(20).clock(77).element('a', 0);
    expect(seen).toEqual([[34, 20, 77]]);
    expect([[...run.ctx.eventTimers], [...run.ctx.processingTimers]]).toEqual([[102], [202]]);
    expect(run.watermark(102).clock(202).answers()).toEqual(['event 102 FIRE', 'clock 202 FIRE']);
  });

  test('merges exactly when all parts can', () => {
    const merging = [CountTrigger.of(2), EventTimeTrigger.create(), NeverTrigger.create()];
    expect(AnyTrigger.of(...merging).onMerge).toBeDefined();
    expect(AnyTrigger.of(...merging, new Answering('CONTINUE')).onMerge).toBeUndefined();
    expect(AnyTrigger.of(AnyTrigger.of(new Answering('CONTINUE'))).onMerge).toBeUndefined();
  });

  test('a merge joins the states of each part with those of the same part', () => {
    const trigger = AnyTrigger.of(CountTrigger.of(4), CountTrigger.of(9), EventTimeTrigger.create());
    const feed = (window: TimeWindow, count: number) => {
      const run = new WindowRun(trigger, window);
      for (let i = 0; i < count; i++) run.element(i, window.start);
      return run;
    };
    const absorbed = [feed(new TimeWindow(0, 10), 2), feed(new TimeWindow(12, 22), 5)];
    const merged = WindowRun.merged(trigger, new TimeWindow(0, 22), absorbed);
    expect(Object.fromEntries(merged.ctx.stored)).toEqual({ '0.count': 3, '1.count': 7 });
    expect([...merged.ctx.eventTimers]).toEqual([21]);
  });

  test('clears the parts that have something to clear', () => {
    const cleared: string[] = [];
    const clearing = Object.assign(new Answering('CONTINUE'), {
      clear: ({ start, end }: Window) => void cleared.push(`[${start},${end})`),
    });
    const trigger = AnyTrigger.of(clearing, NeverTrigger.create(), clearing);
    trigger.clear(window, new FakeTriggerContext(34));
    expect(cleared).toEqual(['[0,35)', '[0,35)']);
  });

  test('does together what its parts do apart, also across a merge', () => {
    const parts = fc.constantFrom<() => Trigger<number>>(
      () => CountTrigger.of(2),
      () => CountTrigger.of(3),
      () => PurgingTrigger.of(CountTrigger.of(4)),
      () => DeltaTrigger.of(5, (a: number, b: number) => Math.abs(a - b)),
      () => EventTimeTrigger.create(),
      () => ContinuousEventTimeTrigger.of(7),
      () => ContinuousProcessingTimeTrigger.of(5),
      () => NeverTrigger.create(),
      () => AnyTrigger.of<number>(CountTrigger.of(3), ContinuousEventTimeTrigger.of(4)),
    );
    const steps = fc.array(
      fc.tuple(fc.constantFrom('element', 'watermark', 'clock'), fc.integer({ min: 0, max: 12 })),
      { maxLength: 15 },
    );
    const play = (run: WindowRun<number>, all: readonly (readonly [string, number])[]) =>
      all.map(([kind, by]) => {
        if (kind === 'element') run.element(by, run.window.start + by);
        else if (kind === 'watermark') run.watermark(Math.max(run.ctx.watermark, 0) + by);
        else run.clock(run.ctx.processingTime + by);
        return effects(run.answers());
      });
    /** Two windows, of which the second starts where the clocks of the first have stopped, then what became of both. */
    const story = (trigger: Trigger<number>, [a, b, c]: (readonly [string, number])[][]) => {
      const first = new WindowRun(trigger, new TimeWindow(0, 30));
      const effectsOfFirst = play(first, a ?? []);
      const second = new WindowRun(trigger, new TimeWindow(40, 70));
      second.watermark(first.ctx.watermark).clock(first.ctx.processingTime);
      const effectsOfSecond = play(second, b ?? []);
      first.watermark(second.ctx.watermark).clock(second.ctx.processingTime);
      const caughtUp = effects(first.answers());
      const merged = WindowRun.merged(trigger, new TimeWindow(0, 70), [first, second]);
      return [
        ...effectsOfFirst,
        ...effectsOfSecond,
        caughtUp,
        ...play(merged, [['element', 1], ...(c ?? [])]),
      ];
    };
    fc.assert(
      fc.property(
        fc.array(parts, { minLength: 1, maxLength: 4 }),
        fc.array(steps, { minLength: 3, maxLength: 3 }),
        (makers, all) => {
          const apart = makers.map((make) => story(make(), all));
          const together = story(AnyTrigger.of(...makers.map((make) => make())), all);
          const expected = together.map((_, i) => ({
            fire: apart.some((one) => one[i]?.fire),
            purge: apart.some((one) => one[i]?.purge),
          }));
          expect(together).toEqual(expected);
        },
      ),
      { numRuns: 500 },
    );
  });

  test('needs a part', () => {
    expect(() => AnyTrigger.of()).toThrow(expect.objectContaining({ code: 'RS_INVALID_ARGUMENT' }));
  });
});

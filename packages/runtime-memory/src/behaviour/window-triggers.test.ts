import { describe, expect, test } from '@jest/globals';
import { type Trigger, type TriggerResult, valueState } from '@rs/core';
import { TumblingWindow } from '@rs/window';
import { coded } from '../test-support/coded.ts';
import { MODES, run } from '../test-support/run.ts';
import { type At, timed } from '../test-support/timed.ts';

const SEEN = valueState('seen', { default: () => 0 });

/** Answers every second element of a window with `second`, and its closing time with `closing`. */
function everySecond(second: TriggerResult, closing: TriggerResult): Trigger<unknown> {
  return {
    states: [SEEN],
    onElement(_element, _timestamp, _window, ctx) {
      ctx.registerEventTimeTimer(ctx.closingTime);
      const seen = ctx.state(SEEN);
      seen.update(seen.value() + 1);
      return seen.value() % 2 === 0 ? second : 'CONTINUE';
    },
    onEventTime: () => closing,
    onProcessingTime: () => 'CONTINUE',
  };
}

describe.each(MODES)('what a trigger answers, %s', (mode) => {
  /** Sums per window; the filler moves the watermark over the first window while the input goes on. */
  async function sums(trigger: Trigger<unknown>, numbers: readonly number[], filler: 'filler' | 'end') {
    const out: (number | bigint)[] = [];
    const records: At<number>[] = numbers.map((n) => ({ at: n, value: n }));
    if (filler === 'filler') records.push({ at: 50, value: 1000 });
    await run(mode, (env) =>
      timed(env, records)
        .keyBy(() => 'k')
        .window(TumblingWindow.of(10))
        .trigger(trigger)
        .sum()
        .filter((sum) => sum !== 1000)
        .addSink((v) => void out.push(v)),
    );
    return out;
  }

  test.each<[TriggerResult, TriggerResult, number[], number[]]>([
    ['FIRE', 'FIRE', [1, 2, 3], [3, 6]],
    ['FIRE_AND_PURGE', 'FIRE', [1, 2, 3], [3, 3]],
    ['PURGE', 'FIRE', [1, 2, 3], [3]],
    ['CONTINUE', 'FIRE', [1, 2, 3], [6]],
    ['FIRE', 'FIRE', [1, 2], [3, 3]],
    // Emptied by the last element: no empty result at the close.
    ['FIRE_AND_PURGE', 'FIRE', [1, 2], [3]],
    ['PURGE', 'FIRE', [1, 2], []],
    ['CONTINUE', 'FIRE_AND_PURGE', [1, 2, 3], [6]],
    ['CONTINUE', 'PURGE', [1, 2, 3], []],
    ['FIRE', 'CONTINUE', [1, 2, 3, 4], [3, 10]],
  ])(
    '%s at every second element, %s at the close, values %p: %p',
    async (second, closing, numbers, expected) => {
      expect(await sums(everySecond(second, closing), numbers, 'filler')).toEqual(expected);
      expect(await sums(everySecond(second, closing), numbers, 'end')).toEqual(expected);
    },
  );

  test('contents that no trigger emitted are emitted at the end of the input, and given up at cleanup before it', async () => {
    const silent = everySecond('CONTINUE', 'CONTINUE');
    expect(await sums(silent, [1, 2, 3], 'end')).toEqual([6]);
    expect(await sums(silent, [1, 2, 3], 'filler')).toEqual([]);
  });

  test('two keys do not share what a trigger remembers', async () => {
    const out: string[] = [];
    await run(mode, (env) =>
      timed(env, [
        { at: 1, value: 'a' },
        { at: 2, value: 'b' },
        { at: 3, value: 'a' },
      ])
        .keyBy((v) => v)
        .window(TumblingWindow.of(10))
        .trigger(everySecond('FIRE_AND_PURGE', 'PURGE'))
        .apply<string>((key, _window, elements, collector) => collector.collect(`${key}${elements.length}`))
        .addSink((v) => void out.push(v)),
    );
    expect(out).toEqual(['a2']);
  });

  test('a trigger can have timers of its own, and delete them', async () => {
    const early: Trigger<unknown> = {
      onElement(_element, timestamp, window, ctx) {
        ctx.registerEventTimeTimer(window.start + 3);
        ctx.registerEventTimeTimer(window.start + 6);
        if (timestamp === 5) ctx.deleteEventTimeTimer(window.start + 6);
        return 'CONTINUE';
      },
      onEventTime: () => 'FIRE',
      onProcessingTime: () => 'CONTINUE',
    };
    // 3 is due at watermark 4; the element 5 asks for it again and deletes 6. The cleanup at 9 is no timer of the trigger.
    expect(await sums(early, [1, 5], 'filler')).toEqual([1, 6]);
  });

  test('clear is called once per window, with the states still there', async () => {
    const cleared: string[] = [];
    const trigger: Trigger<unknown> = {
      ...everySecond('CONTINUE', 'FIRE'),
      clear: (window, ctx) => void cleared.push(`${window.start}: ${ctx.state(SEEN).value()}`),
    };
    await sums(trigger, [1, 2, 3, 11], 'filler');
    expect(cleared).toEqual(['0: 3', '10: 1', '50: 1']);
  });

  test('a state that the trigger does not list is refused', async () => {
    const trigger = everySecond('FIRE', 'FIRE');
    const { states: _states, ...rest } = trigger;
    await expect(sums(rest, [1], 'end')).rejects.toEqual(coded('RS_STATE_UNDECLARED'));
  });
});

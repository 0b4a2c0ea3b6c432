import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { WindowRun } from '../test-support/window-run.ts';
import { TimeWindow } from '../time-window.ts';
import { AnyTrigger } from './any-trigger.ts';
import { ContinuousProcessingTimeTrigger } from './continuous-processing-time-trigger.ts';
import { EventTimeTrigger } from './event-time-trigger.ts';

const every10 = ContinuousProcessingTimeTrigger.of(10);
const window = new TimeWindow(0, 35);
const global = { start: -Infinity, end: Infinity };

/** The answers to each of some times of the clock. */
function answersTo(run: WindowRun<unknown>, times: readonly number[]): string[][] {
  return times.map((time) => run.clock(time).answers());
}

describe('ContinuousProcessingTimeTrigger', () => {
  test('fires at every multiple after the first element arrived and at end − 1', () => {
    const run = new WindowRun(every10, window).clock(3).element('a', 0).element('b', 0);
    expect(answersTo(run, [9, 10, 19, 20, 30, 34])).toEqual([
      [],
      ['clock 10 FIRE'],
      [],
      ['clock 20 FIRE'],
      ['clock 30 FIRE'],
      ['clock 34 FIRE'],
    ]);
  });

  test('the first multiple follows from the clock, whatever the timestamps', () => {
    const run = new WindowRun(every10, global).clock(1003).element('a', 5).element('b', 999_999);
    expect([...run.ctx.processingTimers]).toEqual([1010]);
    expect(run.ctx.eventTimers.size).toBe(0);
  });

  test('a multiple at end − 1 is one firing', () => {
    const run = new WindowRun(every10, new TimeWindow(0, 21)).clock(12).element('a', 0);
    expect(run.clock(20).answers()).toEqual(['clock 20 FIRE']);
  });

  test('an element in the last millisecond is not missed', () => {
    const run = new WindowRun(every10, window).clock(34).element('a', 0);
    expect(run.answers()).toEqual(['clock 34 FIRE']);
  });

  test('on a window whose end the clock has passed it fires at the multiples alone', () => {
    const replay = new WindowRun(every10, window).clock(1001).element('a', 0).element('b', 1);
    expect(replay.answers()).toEqual([]);
    expect(answersTo(replay, [1010, 1020])).toEqual([['clock 1010 FIRE'], ['clock 1020 FIRE']]);
  });

  test('is not fired by the watermark, nor by the times of other triggers', () => {
    const run = new WindowRun(every10, window).element('a', 0).watermark(1000);
    run.ctx.registerProcessingTimeTimer(7);
    expect(run.clock(8).answers()).toEqual([]);
    expect(run.clock(10).answers()).toEqual(['clock 10 FIRE']);
  });

  test('ends with the input: it sets no further timer and leaves the rest to the engine', () => {
    const run = new WindowRun(every10, global).clock(3).element('a', 0).clock(10);
    run.answers();
    expect(run.end().answers()).toEqual([]);
    expect(run.ctx.processingTimers.size).toBe(0);
    expect(run.ctx.stored.size).toBe(0);
  });

  test('at the end of the input end − 1 still fires', () => {
    expect(new WindowRun(every10, window).clock(3).element('a', 0).end().answers()).toEqual([
      'clock 34 FIRE',
    ]);
    expect(new WindowRun(every10, new TimeWindow(0, 11)).clock(3).element('a', 0).end().answers()).toEqual([
      'clock 10 FIRE',
    ]);
  });

  test('multiples that the clock has passed are one firing where the trigger sees that', () => {
    const { ctx } = new WindowRun(every10, global).clock(3).element('a', 0);
    ctx.processingTime = 47;
    expect(every10.onProcessingTime(10, global, ctx)).toBe('FIRE');
    expect([...ctx.stored.values()]).toEqual([50]);
  });

  test('with the trigger of event time it makes early results', () => {
    const run = new WindowRun(AnyTrigger.of(EventTimeTrigger.create(), every10), window);
    run.clock(1001).element('a', 3);
    expect(run.clock(1010).answers()).toEqual(['clock 1010 FIRE']);
    expect(run.watermark(34).answers()).toEqual(['event 34 FIRE']);
  });

  test('after a merge the earliest next firing stays, and the new end counts', () => {
    const first = new WindowRun(every10, new TimeWindow(0, 15)).clock(3).element('a', 0);
    const second = new WindowRun(every10, new TimeWindow(20, 35)).clock(10).element('b', 20);
    expect([...first.ctx.stored, ...second.ctx.stored]).toEqual([
      ['next-firing', 10],
      ['next-firing', 20],
    ]);
    const merged = WindowRun.merged(every10, new TimeWindow(0, 35), [first, second]);
    expect(merged.ctx.processingTimers).toEqual(new Set([34, 10]));
  });

  test('windows that wait for nothing bring nothing into a merge', () => {
    const old = new WindowRun(every10, new TimeWindow(0, 15));
    const merged = WindowRun.merged(every10, new TimeWindow(0, 18), [old.clock(50)]);
    expect(merged.ctx.processingTimers.size).toBe(0);
    expect(merged.element('b', 5).clock(60).answers()).toEqual(['clock 60 FIRE']);
  });

  test('fires at the times which a search over all milliseconds finds', () => {
    const steps = fc.array(fc.tuple(fc.boolean(), fc.integer({ min: 0, max: 15 })), { maxLength: 20 });
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 20 }), fc.integer({ min: 1, max: 60 }), steps, (...input) => {
        const [interval, end, all] = input;
        const run = new WindowRun(ContinuousProcessingTimeTrigger.of(interval), new TimeWindow(0, end));
        const expected: string[] = [];
        let now = 0;
        let from: number | undefined; // Multiples after this time fire.
        for (const [isElement, advance] of all) {
          if (isElement) {
            run.element('e', 0);
            from ??= now;
            if (now === end - 1) expected.push(`clock ${now} FIRE`); // Its timer is due at once.
            continue;
          }
          for (let t = now + 1; t <= now + advance; t++) {
            const ends = t === end - 1 && from !== undefined;
            if (ends || (from !== undefined && t > from && t % interval === 0))
              expected.push(`clock ${t} FIRE`);
          }
          now += advance;
          run.clock(now);
        }
        expect(run.answers()).toEqual(expected);
      }),
      { numRuns: 500 },
    );
  });

  test('declares the state it uses', () => {
    expect(every10.states.map(({ kind, name }) => [kind, name])).toEqual([['value', 'next-firing']]);
  });

  test.each([0, -5, NaN, 2 ** 51])('refuses interval %d', (interval) => {
    expect(() => ContinuousProcessingTimeTrigger.of(interval)).toThrow(
      expect.objectContaining({
        code: 'RS_INVALID_DURATION',
        message: expect.stringContaining('ContinuousProcessingTimeTrigger.of: interval'),
      }),
    );
  });
});

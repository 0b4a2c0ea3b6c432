import type { Window } from '@rs/core';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { closingTime } from '../lateness.ts';
import { mergeSession } from '../session-merge.ts';
import { FakeTriggerContext } from '../test-support/fake-trigger-context.ts';
import { WindowRun } from '../test-support/window-run.ts';
import { TimeWindow } from '../time-window.ts';
import { ContinuousEventTimeTrigger } from './continuous-event-time-trigger.ts';

const every10 = ContinuousEventTimeTrigger.of(10);
const window = new TimeWindow(0, 35);

/** The answers to each of some watermarks. */
function answersTo(run: WindowRun<unknown>, watermarks: readonly number[]): string[][] {
  return watermarks.map((watermark) => run.watermark(watermark).answers());
}

describe('ContinuousEventTimeTrigger', () => {
  test('fires at every multiple after the first element and at the closing time', () => {
    const run = new WindowRun(every10, window).element('a', 3);
    expect(answersTo(run, [9, 10, 19, 20, 29, 30, 33, 34])).toEqual([
      [],
      ['event 10 FIRE'],
      [],
      ['event 20 FIRE'],
      [],
      ['event 30 FIRE'],
      [],
      ['event 34 FIRE'],
    ]);
    expect(run.ctx.eventTimers.size).toBe(0);
    expect(run.ctx.stored.size).toBe(0);
  });

  test('multiples count from 1970, not from the start of the window or the element', () => {
    const run = new WindowRun(ContinuousEventTimeTrigger.of('10s'), new TimeWindow(-12_345, 60_000));
    run.element('a', -12_345);
    expect([...run.ctx.eventTimers]).toEqual([59_999, -10_000]);
    expect(answersTo(run, [-10_000, 0])).toEqual([['event -10000 FIRE'], ['event 0 FIRE']]);
  });

  test('more elements ask for no more firings', () => {
    const run = new WindowRun(every10, window).element('a', 3).element('b', 3).element('c', 25);
    expect(run.ctx.eventTimers).toEqual(new Set([34, 10]));
    expect(run.watermark(10).element('d', 12).answers()).toEqual(['event 10 FIRE']);
  });

  test('a step over several multiples, or over the closing time, fires once', () => {
    expect(new WindowRun(every10, window).element('a', 3).watermark(32).answers()).toEqual(['event 10 FIRE']);
    expect(new WindowRun(every10, window).element('a', 3).watermark(99).answers()).toEqual(['event 34 FIRE']);
    const stepwise = new WindowRun(every10, window).element('a', 3).watermark(25);
    expect(stepwise.answers()).toEqual(['event 10 FIRE']);
    expect(stepwise.watermark(30).answers()).toEqual(['event 30 FIRE']);
  });

  test('an element behind the watermark waits for the multiple after the watermark', () => {
    const run = new WindowRun(every10, window).watermark(15).element('behind', 3);
    expect(run.answers()).toEqual([]);
    expect(run.watermark(20).answers()).toEqual(['event 20 FIRE']);
  });

  test('the order in which elements arrive does not matter', () => {
    const run = new WindowRun(every10, window).element('b', 34).element('a', 14).element('c', 3);
    expect(answersTo(run, [10, 20, 34])).toEqual([['event 10 FIRE'], ['event 20 FIRE'], ['event 34 FIRE']]);
  });

  test('a multiple at the closing time is one firing; an interval longer than the window leaves only that', () => {
    const run = new WindowRun(every10, new TimeWindow(0, 21)).element('a', 3);
    expect(answersTo(run, [10, 20])).toEqual([['event 10 FIRE'], ['event 20 FIRE']]);
    const long = new WindowRun(ContinuousEventTimeTrigger.of('1h'), window).element('a', 3);
    expect([...long.ctx.eventTimers]).toEqual([34]);
    expect(long.watermark(34).answers()).toEqual(['event 34 FIRE']);
  });

  test('each late element of a closed window fires it again', () => {
    const run = new WindowRun(every10, window).element('a', 3).watermark(34);
    run.answers();
    expect(run.element('late', 3).element('later', 5).answers()).toEqual(['element FIRE', 'element FIRE']);
    expect(run.ctx.eventTimers.size).toBe(0);
  });

  test('postponed lateness moves the closing time, and early firings go on until then', () => {
    const ctx = new FakeTriggerContext(closingTime(window.end, 10, 'postpone'), every10.states);
    ctx.watermark = 36;
    expect(every10.onElement('a', 3, window, ctx)).toBe('CONTINUE');
    expect([...ctx.eventTimers]).toEqual([44, 40]);
  });

  test('on a global window it goes on until the input ends', () => {
    const run = new WindowRun(every10, { start: -Infinity, end: Infinity }).element('a', 3);
    expect(answersTo(run, [10, 1000, 1010])).toEqual([
      ['event 10 FIRE'],
      ['event 20 FIRE'],
      ['event 1010 FIRE'],
    ]);
    expect(run.end().answers()).toEqual(['event Infinity FIRE']);
    expect(run.ctx.eventTimers.size).toBe(0);
  });

  test('is not fired by the times of other triggers, nor by the clock', () => {
    const run = new WindowRun(every10, window).element('a', 3);
    run.ctx.registerEventTimeTimer(7);
    expect(run.watermark(8).clock(1000).answers()).toEqual([]);
    expect(run.watermark(10).answers()).toEqual(['event 10 FIRE']);
  });

  test('after a merge the earliest next firing stays, and the new end counts', () => {
    const late = new WindowRun(every10, new TimeWindow(25, 40)).element('b', 25);
    const early = new WindowRun(every10, new TimeWindow(3, 18)).element('a', 3);
    const merged = WindowRun.merged(every10, new TimeWindow(3, 40), [early, late]);
    expect(merged.ctx.eventTimers).toEqual(new Set([39, 10]));
    merged.element('bridge', 15);
    expect(answersTo(merged, [10, 20, 30, 39])).toEqual([
      ['event 10 FIRE'],
      ['event 20 FIRE'],
      ['event 30 FIRE'],
      ['event 39 FIRE'],
    ]);
  });

  test('a session that grows beyond a multiple fires at it, also where the new element comes after that', () => {
    for (const [end, element] of [
      [9, 7],
      [11, 10],
    ] as const) {
      const short = new WindowRun(every10, new TimeWindow(2, end)).element('a', 2);
      expect(short.ctx.eventTimers).toEqual(new Set([end - 1]));
      const grown = WindowRun.merged(every10, new TimeWindow(2, 19), [short]).element('b', element);
      expect(answersTo(grown, [10, 18])).toEqual([['event 10 FIRE'], ['event 18 FIRE']]);
    }
  });

  test('a closed session that opens again waits for the multiple after the watermark', () => {
    const closed = new WindowRun(every10, new TimeWindow(2, 11)).element('a', 2).watermark(12);
    const opened = WindowRun.merged(every10, new TimeWindow(2, 29), [closed]).element('b', 10);
    expect(answersTo(opened, [19, 20, 28])).toEqual([[], ['event 20 FIRE'], ['event 28 FIRE']]);
  });

  test('a merged window that has closed fires with the element that merged it', () => {
    const old = new WindowRun(every10, new TimeWindow(2, 9)).element('a', 2).watermark(20);
    const merged = WindowRun.merged(every10, new TimeWindow(2, 14), [old]);
    expect(merged.ctx.eventTimers.size).toBe(0);
    expect(merged.element('late', 7).answers()).toEqual(['element FIRE']);
  });

  test('fires in the steps of the watermark in which a search over all milliseconds finds a reason', () => {
    const steps = fc.array(
      fc.oneof(
        fc.record({ element: fc.integer({ min: 0, max: 59 }) }),
        fc.record({ advance: fc.integer({ min: 1, max: 25 }) }),
      ),
      { maxLength: 25 },
    );
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 30 }), fc.integer({ min: 20, max: 60 }), steps, (...input) => {
        const [interval, end, all] = input;
        const run = new WindowRun(ContinuousEventTimeTrigger.of(interval), new TimeWindow(0, end));
        let watermark = -5;
        let from: number | undefined; // Multiples after this time fire.
        run.watermark(watermark);
        for (const step of all) {
          let reason = false;
          if ('element' in step) {
            run.element('e', step.element);
            reason = watermark >= end - 1;
            if (!reason) from = Math.min(from ?? Infinity, Math.max(step.element, watermark));
          } else {
            for (let t = watermark + 1; t <= watermark + step.advance; t++) {
              if (from !== undefined && t < end && (t === end - 1 || (t % interval === 0 && t > from)))
                reason = true;
            }
            watermark += step.advance;
            run.watermark(watermark);
          }
          expect(run.answers()).toHaveLength(reason ? 1 : 0);
        }
      }),
      { numRuns: 500 },
    );
  });

  test('the same for sessions that grow and merge', () => {
    interface Session extends Window {
      readonly run: WindowRun<string>;
      /** Multiples after this time fire. */
      readonly from: number;
    }
    const steps = fc.array(
      fc.oneof(
        fc.record({ element: fc.integer({ min: 0, max: 60 }) }),
        fc.record({ advance: fc.integer({ min: 1, max: 15 }) }),
      ),
      { maxLength: 25 },
    );
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 20 }), fc.integer({ min: 1, max: 20 }), steps, (...input) => {
        const [interval, gap, all] = input;
        const trigger = ContinuousEventTimeTrigger.of(interval);
        const sessions: Session[] = [];
        let watermark = -5;
        for (const step of all) {
          if ('element' in step) {
            const seed = new TimeWindow(step.element, step.element + gap);
            const { window, absorbed, position } = mergeSession(sessions, seed, 'separate');
            const [first] = absorbed;
            let run = new WindowRun(trigger, window).watermark(watermark);
            if (first === window) run = first.run;
            else if (first !== undefined) {
              run = WindowRun.merged(
                trigger,
                window,
                absorbed.map((one) => one.run),
              );
            }
            const from = Math.min(Math.max(step.element, watermark), ...absorbed.map((one) => one.from));
            sessions.splice(position, absorbed.length, { start: window.start, end: window.end, run, from });
            run.element('e', step.element);
            expect(run.answers()).toEqual(watermark >= window.end - 1 ? ['element FIRE'] : []);
            continue;
          }
          for (const { run, end, from } of sessions) {
            run.watermark(watermark + step.advance);
            let reason = false;
            for (let t = watermark + 1; t <= watermark + step.advance && t < end; t++) {
              reason ||= t === end - 1 || (t % interval === 0 && t > from);
            }
            expect(run.answers()).toHaveLength(reason ? 1 : 0);
          }
          watermark += step.advance;
        }
      }),
      { numRuns: 500 },
    );
  });

  test('declares the state it uses', () => {
    expect(every10.states.map(({ kind, name }) => [kind, name])).toEqual([['value', 'next-firing']]);
  });

  test.each([0, -5, NaN, 2 ** 51])('refuses interval %d', (interval) => {
    expect(() => ContinuousEventTimeTrigger.of(interval)).toThrow(
      expect.objectContaining({
        code: 'RS_INVALID_DURATION',
        message: expect.stringContaining('ContinuousEventTimeTrigger.of: interval'),
      }),
    );
  });
});

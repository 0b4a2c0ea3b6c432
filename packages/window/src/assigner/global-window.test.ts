import { describe, expect, test } from '@jest/globals';
import { cleanupTime, closingTime, isWindowLate } from '../lateness.ts';
import { WindowRun } from '../test-support/window-run.ts';
import { EventTimeTrigger } from '../trigger/event-time-trigger.ts';
import { NeverTrigger } from '../trigger/never-trigger.ts';
import { ProcessingTimeTrigger } from '../trigger/processing-time-trigger.ts';
import { GlobalWindow } from './global-window.ts';

const assigner = GlobalWindow.create();
const window = { start: -Infinity, end: Infinity };

describe('GlobalWindow', () => {
  test('has one window without bounds for everything', () => {
    expect(assigner.assignWindows()).toEqual([window]);
    expect(assigner.assignWindows()).toBe(GlobalWindow.create().assignWindows());
    expect(assigner.supportsWindowMerging()).toBe(false);
    expect('aligned' in assigner).toBe(false);
    expect(assigner.timeDomain).toBe('event');
    expect(assigner.describe()).toBe('global');
  });

  test('fires nothing by itself and evicts nothing', () => {
    expect(assigner.getDefaultTrigger()).toBeInstanceOf(NeverTrigger);
    expect('getDefaultEvictor' in assigner).toBe(false);
  });

  test('closes when the input ends, and until then nothing is late', () => {
    for (const lateness of [0, 5000]) {
      expect(closingTime(window.end, lateness, 'refire')).toBe(Infinity);
      expect(closingTime(window.end, lateness, 'postpone')).toBe(Infinity);
      expect(cleanupTime(window.end, lateness)).toBe(Infinity);
      expect(isWindowLate(-Infinity, window.end, lateness)).toBe(false);
      expect(isWindowLate(Number.MAX_SAFE_INTEGER, window.end, lateness)).toBe(false);
      expect(isWindowLate(Infinity, window.end, lateness)).toBe(true);
    }
  });

  test('with the trigger of event time it fires when the input ends', () => {
    const run = new WindowRun(EventTimeTrigger.create(), window).element('a', 5).watermark(8.64e15);
    expect(run.answers()).toEqual([]);
    expect(run.end().answers()).toEqual(['event Infinity FIRE']);
  });

  test('with the trigger of processing time it waits for nothing, as its end never comes', () => {
    const run = new WindowRun(ProcessingTimeTrigger.create(), window).element('a', 5);
    expect(run.ctx.processingTimers.size).toBe(0);
    expect(run.clock(8.64e15).answers()).toEqual([]);
  });
});

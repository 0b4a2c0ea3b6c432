import { describe, expect, test } from '@jest/globals';
import { closingTime } from '../lateness.ts';
import { FakeTriggerContext } from '../test-support/fake-trigger-context.ts';
import { TimeWindow } from '../time-window.ts';
import { EventTimeTrigger } from './event-time-trigger.ts';

const trigger = EventTimeTrigger.create();
const window = new TimeWindow(0, 1000);

describe('EventTimeTrigger', () => {
  test('an element asks for one timer at end − 1 and fires nothing', () => {
    const ctx = new FakeTriggerContext(999);
    expect(trigger.onElement('a', 5, window, ctx)).toBe('CONTINUE');
    expect(trigger.onElement('b', 6, window, ctx)).toBe('CONTINUE');
    expect([...ctx.eventTimers]).toEqual([999]);
    expect(ctx.processingTimers.size).toBe(0);
  });

  test.each([
    [998, 'CONTINUE'],
    [999, 'FIRE'],
    [1000, 'FIRE'],
    [Infinity, 'FIRE'],
  ])('event time %d answers %s', (timestamp, result) => {
    expect(trigger.onEventTime(timestamp, window, new FakeTriggerContext(999))).toBe(result);
  });

  test('each late element of a closed window fires it again, without a timer', () => {
    const ctx = new FakeTriggerContext(999);
    ctx.watermark = 999;
    expect(trigger.onElement('late', 5, window, ctx)).toBe('FIRE');
    expect(trigger.onElement('later', 5, window, ctx)).toBe('FIRE');
    expect(ctx.eventTimers.size).toBe(0);
  });

  test('the last watermark before the close still waits for the timer', () => {
    const ctx = new FakeTriggerContext(999);
    ctx.watermark = 998;
    expect(trigger.onElement('a', 5, window, ctx)).toBe('CONTINUE');
    expect([...ctx.eventTimers]).toEqual([999]);
  });

  test('postponed lateness moves the one firing to end − 1 + lateness', () => {
    const ctx = new FakeTriggerContext(closingTime(window.end, 500, 'postpone'));
    ctx.watermark = 1200;
    expect(trigger.onElement('late', 5, window, ctx)).toBe('CONTINUE');
    expect([...ctx.eventTimers]).toEqual([1499]);
    expect(trigger.onEventTime(1498, window, ctx)).toBe('CONTINUE');
    expect(trigger.onEventTime(1499, window, ctx)).toBe('FIRE');
  });

  test('processing time means nothing to it', () => {
    expect(trigger.onProcessingTime()).toBe('CONTINUE');
  });

  test('a merged window that is still open waits for its own end', () => {
    const absorbed = [new TimeWindow(0, 10), new TimeWindow(15, 25)];
    const ctx = new FakeTriggerContext(24);
    ctx.watermark = 23;
    trigger.onMerge(new TimeWindow(0, 25), absorbed, ctx);
    expect([...ctx.eventTimers]).toEqual([24]);
  });

  test('a merged window that has closed fires once, with the element that merged it', () => {
    const merged = new TimeWindow(0, 25);
    const ctx = new FakeTriggerContext(24);
    ctx.watermark = 24;
    trigger.onMerge(merged, [new TimeWindow(0, 10), new TimeWindow(15, 25)], ctx);
    expect(ctx.eventTimers.size).toBe(0);
    expect(trigger.onElement('bridge', 8, merged, ctx)).toBe('FIRE');
    expect(ctx.eventTimers.size).toBe(0);
  });
});

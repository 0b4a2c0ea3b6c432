import { describe, expect, test } from '@jest/globals';
import { FakeTriggerContext } from '../test-support/fake-trigger-context.ts';
import { TimeWindow } from '../time-window.ts';
import { ProcessingTimeTrigger } from './processing-time-trigger.ts';

const trigger = ProcessingTimeTrigger.create();
const window = new TimeWindow(0, 1000);

describe('ProcessingTimeTrigger', () => {
  test('an element asks for one processing-time timer at end − 1', () => {
    const ctx = new FakeTriggerContext(999);
    expect(trigger.onElement('a', 5, window, ctx)).toBe('CONTINUE');
    expect(trigger.onElement('b', 6, window, ctx)).toBe('CONTINUE');
    expect([...ctx.processingTimers]).toEqual([999]);
    expect(ctx.eventTimers.size).toBe(0);
  });

  test.each([
    [998, 'CONTINUE'],
    [999, 'FIRE'],
    [5000, 'FIRE'],
  ])('processing time %d answers %s', (timestamp, result) => {
    expect(trigger.onProcessingTime(timestamp, window)).toBe(result);
  });

  test('the watermark means nothing to it', () => {
    const ctx = new FakeTriggerContext(999);
    ctx.watermark = Infinity;
    expect(trigger.onElement('a', 5, window, ctx)).toBe('CONTINUE');
    expect(trigger.onEventTime()).toBe('CONTINUE');
  });

  test('a merged window waits for its own end', () => {
    const ctx = new FakeTriggerContext(24);
    trigger.onMerge(new TimeWindow(0, 25), [new TimeWindow(0, 10), new TimeWindow(15, 25)], ctx);
    expect([...ctx.processingTimers]).toEqual([24]);
  });
});

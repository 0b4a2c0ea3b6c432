import { valueState, type Trigger, type TriggerContext, type TriggerResult, type Window } from '@rs/core';
import { describe, expect, test } from '@jest/globals';
import { FakeTriggerContext } from '../test-support/fake-trigger-context.ts';
import { TimeWindow } from '../time-window.ts';
import { CountTrigger } from './count-trigger.ts';
import { EventTimeTrigger } from './event-time-trigger.ts';
import { PurgingTrigger } from './purging-trigger.ts';

const window = new TimeWindow(0, 1000);

/** Gives one answer to everything and remembers the calls. */
class Answering implements Trigger<string> {
  readonly calls: unknown[][] = [];
  readonly #answer: TriggerResult;

  constructor(answer: TriggerResult) {
    this.#answer = answer;
  }

  onElement(element: string, timestamp: number, at: Window, ctx: TriggerContext): TriggerResult {
    this.calls.push(['element', element, timestamp, at, ctx]);
    return this.#answer;
  }

  onEventTime(timestamp: number, at: Window, ctx: TriggerContext): TriggerResult {
    this.calls.push(['event time', timestamp, at, ctx]);
    return this.#answer;
  }

  onProcessingTime(timestamp: number, at: Window, ctx: TriggerContext): TriggerResult {
    this.calls.push(['processing time', timestamp, at, ctx]);
    return this.#answer;
  }
}

class Merging extends Answering {
  readonly states = [valueState<string>('memo')];

  onMerge(merged: Window, absorbed: readonly Window[], ctx: TriggerContext): void {
    this.calls.push(['merge', merged, absorbed, ctx]);
  }

  clear(at: Window, ctx: TriggerContext): void {
    this.calls.push(['clear', at, ctx]);
  }
}

describe('PurgingTrigger', () => {
  test.each([
    ['FIRE', 'FIRE_AND_PURGE'],
    ['FIRE_AND_PURGE', 'FIRE_AND_PURGE'],
    ['PURGE', 'PURGE'],
    ['CONTINUE', 'CONTINUE'],
  ] as const)('turns %s into %s, whatever was asked', (answer, expected) => {
    const inner = new Answering(answer);
    const trigger = PurgingTrigger.of(inner);
    const ctx = new FakeTriggerContext(999);
    expect(trigger.onElement('a', 5, window, ctx)).toBe(expected);
    expect(trigger.onEventTime(7, window, ctx)).toBe(expected);
    expect(trigger.onProcessingTime(8, window, ctx)).toBe(expected);
    expect(inner.calls).toEqual([
      ['element', 'a', 5, window, ctx],
      ['event time', 7, window, ctx],
      ['processing time', 8, window, ctx],
    ]);
  });

  test('passes merging, clearing and states on', () => {
    const inner = new Merging('CONTINUE');
    const trigger = PurgingTrigger.of(inner);
    const ctx = new FakeTriggerContext(999);
    const absorbed = [new TimeWindow(0, 10)];
    trigger.onMerge?.(window, absorbed, ctx);
    trigger.clear?.(window, ctx);
    expect(inner.calls).toEqual([
      ['merge', window, absorbed, ctx],
      ['clear', window, ctx],
    ]);
    expect(trigger.states).toBe(inner.states);
  });

  test('cannot merge where the inner trigger cannot', () => {
    const trigger = PurgingTrigger.of(new Answering('CONTINUE'));
    expect(trigger.onMerge).toBeUndefined();
    expect(trigger.clear).toBeUndefined();
    expect(trigger.states).toEqual([]);
  });

  test('makes batches of a count trigger, across merges', () => {
    const trigger = PurgingTrigger.of(CountTrigger.of(2));
    const old = new FakeTriggerContext(999);
    expect(trigger.onElement('a', 0, window, old)).toBe('CONTINUE');
    const ctx = new FakeTriggerContext(999);
    ctx.absorbed = [old];
    trigger.onMerge?.(window, [window], ctx);
    expect(trigger.onElement('b', 1, window, ctx)).toBe('FIRE_AND_PURGE');
  });

  test('on an event-time trigger gives up the contents at every firing', () => {
    const trigger = PurgingTrigger.of(EventTimeTrigger.create());
    const ctx = new FakeTriggerContext(999);
    expect(trigger.onElement('a', 0, window, ctx)).toBe('CONTINUE');
    expect(trigger.onEventTime(999, window, ctx)).toBe('FIRE_AND_PURGE');
    ctx.watermark = 999;
    expect(trigger.onElement('late', 0, window, ctx)).toBe('FIRE_AND_PURGE');
  });
});

test.each([null, undefined, 5, {}])('what is no trigger is refused: %p', (inner) => {
  expect(() => PurgingTrigger.of(inner as never)).toThrow(
    expect.objectContaining({ code: 'RS_INVALID_ARGUMENT' }),
  );
});

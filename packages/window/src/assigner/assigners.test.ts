import type { WindowAssigner } from '@rs/core';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { EventTimeTrigger } from '../trigger/event-time-trigger.ts';
import { ProcessingTimeTrigger } from '../trigger/processing-time-trigger.ts';
import { WINDOW_DEFAULTS } from './options.ts';
import { SessionWindow } from './session-window.ts';
import { SlidingWindow } from './sliding-window.ts';
import { TumblingWindow } from './tumbling-window.ts';

/** The loop that core documents for aligned windows, as engines write it. */
function startsByLoop(assigner: WindowAssigner<unknown>, timestamp: number): [number, number][] {
  const { aligned } = assigner;
  if (aligned === undefined) throw new Error(`${assigner.describe()} is not aligned`);
  const found: [number, number][] = [];
  for (let s = aligned.lastStart(timestamp); s > timestamp - aligned.size; s -= aligned.slide) {
    found.push([s, s + aligned.size]);
  }
  return found;
}

const alignedAssigners = fc
  .tuple(fc.integer({ min: 1, max: 5000 }), fc.integer({ min: 1, max: 5000 }))
  .chain(([size, slide]) =>
    fc.oneof(
      fc.integer({ min: 1 - size, max: size - 1 }).map((offset) => TumblingWindow.of(size, { offset })),
      fc
        .integer({ min: 1 - slide, max: slide - 1 })
        .map((offset) => SlidingWindow.of(size, slide, { offset })),
    ),
  );

describe('all assigners', () => {
  test('the aligned form gives the windows of assignWindows, in their order', () => {
    const timestamps = fc.oneof(
      fc.integer({ min: -20_000, max: 20_000 }),
      fc.integer({ min: -8.64e15, max: 8.64e15 }),
    );
    fc.assert(
      fc.property(alignedAssigners, timestamps, (assigner, timestamp) => {
        const assigned = assigner.assignWindows('element', timestamp);
        expect(startsByLoop(assigner, timestamp)).toEqual(assigned.map(({ start, end }) => [start, end]));
        expect(assigned.every((window) => window.contains(timestamp))).toBe(true);
        expect(assigned.some(({ start, end }) => Object.is(start, -0) || Object.is(end, -0))).toBe(false);
      }),
      { numRuns: 1000 },
    );
  });

  test('lastStart is the newest start that is not after the timestamp', () => {
    fc.assert(
      fc.property(alignedAssigners, fc.integer({ min: -20_000, max: 20_000 }), (assigner, timestamp) => {
        const { slide } = assigner.aligned;
        const start = assigner.aligned.lastStart(timestamp);
        expect(start).toBeLessThanOrEqual(timestamp);
        expect(start + slide).toBeGreaterThan(timestamp);
        expect(assigner.aligned.lastStart(start)).toBe(start);
      }),
      { numRuns: 500 },
    );
  });

  test.each([
    [TumblingWindow.of(10), TumblingWindow.of(10, { time: 'processing' })],
    [SlidingWindow.of(10, 5), SlidingWindow.of(10, 5, { time: 'processing' })],
    [SessionWindow.withGap(10), SessionWindow.withGap(10, { time: 'processing' })],
  ])('the time domain decides the default trigger: %#', (event, processing) => {
    expect(event.timeDomain).toBe('event');
    expect(event.getDefaultTrigger()).toBeInstanceOf(EventTimeTrigger);
    expect(processing.timeDomain).toBe('processing');
    expect(processing.getDefaultTrigger()).toBeInstanceOf(ProcessingTimeTrigger);
  });

  test('only sessions merge', () => {
    expect(TumblingWindow.of(10).supportsWindowMerging()).toBe(false);
    expect(SlidingWindow.of(10, 5).supportsWindowMerging()).toBe(false);
  });

  test.each([null, 5, 'event', [], () => 0])('options that are %p are refused', (options) => {
    for (const [name, make] of [
      ['TumblingWindow.of', () => TumblingWindow.of(10, options as never)],
      ['SlidingWindow.of', () => SlidingWindow.of(10, 5, options as never)],
      ['SessionWindow.withGap', () => SessionWindow.withGap(10, options as never)],
    ] as const) {
      expect(make).toThrow(
        expect.objectContaining({
          code: 'RS_INVALID_ARGUMENT',
          message: expect.stringContaining(`${name}: options must be an object, got `) as unknown,
        }),
      );
    }
  });

  test('null is no default', () => {
    for (const make of [
      () => TumblingWindow.of(10, { time: null as never }),
      () => SessionWindow.withGap(10, { touching: null as never }),
    ]) {
      expect(make).toThrow(expect.objectContaining({ code: 'RS_INVALID_ARGUMENT' }));
    }
    expect(() => SlidingWindow.of(10, 5, { offset: null as never })).toThrow(
      expect.objectContaining({ code: 'RS_INVALID_DURATION' }),
    );
  });

  test('giving the defaults is the same as giving nothing', () => {
    const { offset, time, touching } = WINDOW_DEFAULTS;
    expect(TumblingWindow.of(10, { offset, time }).describe()).toBe(TumblingWindow.of(10).describe());
    expect(SlidingWindow.of(10, 5, { offset, time }).describe()).toBe(SlidingWindow.of(10, 5).describe());
    expect(SessionWindow.withGap(10, { touching, time }).describe()).toBe(
      SessionWindow.withGap(10).describe(),
    );
  });

  test('describe names the lengths in milliseconds and what is not the default', () => {
    const assigners = [
      TumblingWindow.of('1m'),
      TumblingWindow.of('1d', { offset: '-8h' }),
      SlidingWindow.of('1m', '10s', { time: 'processing' }),
      SlidingWindow.of(10, 5, { offset: 2, time: 'processing' }),
      SessionWindow.withGap('30s'),
      SessionWindow.withGap('30s', { touching: 'merge', time: 'processing' }),
    ];
    expect(assigners.map((assigner) => assigner.describe())).toEqual([
      'tumbling(60000)',
      'tumbling(86400000, offset -28800000)',
      'sliding(60000, 10000, processing time)',
      'sliding(10, 5, offset 2, processing time)',
      'session(30000)',
      'session(30000, touching merge, processing time)',
    ]);
  });
});

import { describe, expect, test } from '@jest/globals';
import type { WatermarkGenerator, WatermarkOutput, WatermarkValue } from '@rs/core';
import fc from 'fast-check';
import {
  AscendingTimestampWatermarkGenerator,
  BoundedOutOfOrdernessWatermarkGenerator,
  WatermarkStrategy,
} from '../index.ts';

/** Remembers what was emitted, and the watermark a stream would have: raised only. */
class RecordingOutput implements WatermarkOutput {
  readonly emitted: WatermarkValue[] = [];
  readonly effective: number[] = [];

  emitWatermark(watermark: WatermarkValue): void {
    this.emitted.push(watermark);
    const value = typeof watermark === 'number' ? watermark : watermark.timestamp;
    this.effective.push(Math.max(this.effective.at(-1) ?? -Infinity, value));
  }
  markIdle(): void {
    throw new Error('no built-in generator knows idleness');
  }
  markActive(): void {
    throw new Error('no built-in generator knows idleness');
  }
}

/** Feeds the timestamps as an engine does, emitting after each, and returns what was emitted. */
function emissions(generator: WatermarkGenerator<string>, timestamps: readonly number[]): WatermarkValue[] {
  const output = new RecordingOutput();
  for (const timestamp of timestamps) {
    generator.onEvent('event', timestamp, output);
    generator.onPeriodicEmit(output);
  }
  return output.emitted;
}

function initialEmission(generator: WatermarkGenerator<string>): WatermarkValue[] {
  const output = new RecordingOutput();
  generator.onPeriodicEmit(output);
  return output.emitted;
}

const timestamps = fc.array(fc.integer({ min: -1_000_000, max: 1_000_000 }), { minLength: 1 });
const bounds = fc.nat(100_000);

describe('ascending timestamps', () => {
  test.each([
    { seen: [1000, 2000, 3000], emitted: [999, 1999, 2999] },
    { seen: [3000, 2000, 1000], emitted: [2999, 2999, 2999] },
    { seen: [1000, 1000], emitted: [999, 999] },
    { seen: [0], emitted: [-1] },
    { seen: [-1000, -2000], emitted: [-1001, -1001] },
    { seen: [Number.MAX_SAFE_INTEGER], emitted: [Number.MAX_SAFE_INTEGER - 1] },
  ])('$seen emits $emitted', ({ seen, emitted }) => {
    const generator = new AscendingTimestampWatermarkGenerator<string>();
    expect(emissions(generator, seen)).toEqual(emitted);
    expect(generator.getCurrentWatermark()).toBe(emitted.at(-1));
  });

  test('emits exactly -Infinity before the first record', () => {
    const generator = new AscendingTimestampWatermarkGenerator<string>();
    expect(initialEmission(generator)).toEqual([-Infinity]);
    expect(generator.getCurrentWatermark()).toBe(-Infinity);
  });

  test('an event alone emits nothing', () => {
    const output = new RecordingOutput();
    new AscendingTimestampWatermarkGenerator<string>().onEvent('event', 5, output);
    expect(output.emitted).toEqual([]);
  });

  test('a fresh one has no history and leaves the first alone', () => {
    const generator = new AscendingTimestampWatermarkGenerator<string>();
    emissions(generator, [1000]);
    const fresh = generator.fresh();
    expect(fresh.getCurrentWatermark()).toBe(-Infinity);
    emissions(fresh, [5000]);
    expect(generator.getCurrentWatermark()).toBe(999);
  });

  test('is the bounded generator with bound 0, for every sequence', () => {
    fc.assert(
      fc.property(timestamps, (seen) => {
        expect(emissions(new AscendingTimestampWatermarkGenerator(), seen)).toEqual(
          emissions(new BoundedOutOfOrdernessWatermarkGenerator(0), seen),
        );
      }),
      { numRuns: 500 },
    );
  });
});

describe('bounded out-of-orderness', () => {
  test.each([
    { bound: 5000, seen: [1000, 2000, 3000], emitted: [-4001, -3001, -2001] }, // C33
    { bound: '5s' as const, seen: [1000, 2000, 3000], emitted: [-4001, -3001, -2001] },
    { bound: 100, seen: [1000], emitted: [899] },
    { bound: 0, seen: [1000], emitted: [999] },
    { bound: 0.9, seen: [1000], emitted: [999] },
    { bound: '0.5ms' as const, seen: [1000], emitted: [999] },
    { bound: 100, seen: [3000, 1000, 3001], emitted: [2899, 2899, 2900] },
  ])('with $bound, $seen emits $emitted', ({ bound, seen, emitted }) => {
    expect(emissions(new BoundedOutOfOrdernessWatermarkGenerator(bound), seen)).toEqual(emitted);
  });

  test('emits exactly -Infinity before the first record, whatever the bound', () => {
    for (const bound of [0, 1, 5000, Number.MAX_SAFE_INTEGER]) {
      expect(initialEmission(new BoundedOutOfOrdernessWatermarkGenerator(bound))).toEqual([-Infinity]);
    }
  });

  test('tells its bound and the highest timestamp', () => {
    const generator = new BoundedOutOfOrdernessWatermarkGenerator<string>('1.5s');
    expect(generator.getMaxOutOfOrdernessMillis()).toBe(1500);
    expect(generator.getMaxTimestamp()).toBe(-Infinity);
    emissions(generator, [7, 3]);
    expect(generator.getMaxTimestamp()).toBe(7);
  });

  test.each([-1, NaN, Infinity])('refuses a bound of %d', (bound) => {
    expect(() => new BoundedOutOfOrdernessWatermarkGenerator(bound)).toThrow(
      expect.objectContaining({ code: 'RS_INVALID_DURATION' }),
    );
  });

  test('a fresh one has the same bound and no history', () => {
    const generator = new BoundedOutOfOrdernessWatermarkGenerator<string>(100);
    emissions(generator, [1000]);
    const fresh = generator.fresh();
    expect(fresh.getMaxOutOfOrdernessMillis()).toBe(100);
    expect(fresh.getMaxTimestamp()).toBe(-Infinity);
    emissions(fresh, [5000]);
    expect(generator.getMaxTimestamp()).toBe(1000);
  });

  test('emits max − bound − 1 after each record of any sequence, and never falls', () => {
    fc.assert(
      fc.property(timestamps, bounds, (seen, bound) => {
        const expected = seen.map((_, i) => Math.max(...seen.slice(0, i + 1)) - bound - 1);
        const emitted = emissions(new BoundedOutOfOrdernessWatermarkGenerator(bound), seen);
        expect(emitted).toEqual(expected);
        expect(emitted).toEqual([...expected].sort((a, b) => a - b));
      }),
      { numRuns: 500 },
    );
  });

  test('C33: a twin of the newest record is not late', () => {
    const generator = new BoundedOutOfOrdernessWatermarkGenerator<string>(0);
    let watermark: WatermarkValue = -Infinity;
    for (const timestamp of [999, 999, 2500]) {
      expect(timestamp).toBeGreaterThan(Number(watermark));
      watermark = emissions(generator, [timestamp])[0] ?? NaN;
      expect(watermark).toBe(timestamp - 1);
    }
  });
});

describe('other generators on the same output', () => {
  test('C43: a custom generator that goes back raises the watermark only', () => {
    const planned = [100, 50, 100, 200];
    const generator: WatermarkGenerator<string> = {
      onEvent: (_event, _timestamp, output) => output.emitWatermark(planned.shift() ?? NaN),
      onPeriodicEmit: () => undefined,
    };
    const output = new RecordingOutput();
    for (let i = 0; i < 4; i += 1) generator.onEvent('event', i, output);
    expect(output.effective).toEqual([100, 100, 100, 200]);
  });

  test('C43: no watermarks means no emission, after any number of events', () => {
    const generator = WatermarkStrategy.noWatermarks<string>().createWatermarkGenerator();
    expect(emissions(generator, [1000, 1500, 2500, 3000, 4000])).toEqual([]);
    expect(initialEmission(generator)).toEqual([]);
    const fresh = generator.fresh?.();
    expect(fresh).toBeDefined();
    expect(fresh).not.toBe(generator);
  });
});

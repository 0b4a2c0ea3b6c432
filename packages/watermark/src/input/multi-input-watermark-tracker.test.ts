import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { MultiInputWatermarkTracker } from '../index.ts';

describe('MultiInputWatermarkTracker', () => {
  test('starts at -Infinity with all inputs active', () => {
    const tracker = new MultiInputWatermarkTracker(2);
    expect(tracker.current()).toBe(-Infinity);
    expect(tracker.combinedIdle()).toBe(false);
  });

  test('is the minimum, and says when it rose', () => {
    const tracker = new MultiInputWatermarkTracker(3);
    expect(tracker.update(0, 10)).toBe(false);
    expect(tracker.update(1, 20)).toBe(false);
    expect(tracker.current()).toBe(-Infinity);
    expect(tracker.update(2, 5)).toBe(true);
    expect(tracker.current()).toBe(5);
    expect(tracker.update(1, 30)).toBe(false);
    expect(tracker.update(2, 40)).toBe(true);
    expect(tracker.current()).toBe(10);
  });

  test('two inputs at the minimum: both have to move', () => {
    const tracker = new MultiInputWatermarkTracker(2);
    tracker.update(0, 10);
    tracker.update(1, 10);
    expect(tracker.update(0, 20)).toBe(false);
    expect(tracker.update(1, 15)).toBe(true);
    expect(tracker.current()).toBe(15);
  });

  test('C43: an input never falls: 100, 50, 100, 200', () => {
    const tracker = new MultiInputWatermarkTracker(1);
    const effective = [100, 50, 100, 200].map((watermark) => {
      tracker.update(0, watermark);
      return tracker.current();
    });
    expect(effective).toEqual([100, 100, 100, 200]);
  });

  test('an idle input does not hold the others back', () => {
    const tracker = new MultiInputWatermarkTracker(2);
    tracker.update(0, 10);
    expect(tracker.markIdle(1)).toBe(true);
    expect(tracker.current()).toBe(10);
    expect(tracker.markIdle(1)).toBe(false);
  });

  test('an input that comes back lower does not pull the result down, but holds it from then on', () => {
    const tracker = new MultiInputWatermarkTracker(2);
    tracker.update(1, 3);
    tracker.markIdle(1);
    tracker.update(0, 10);
    expect(tracker.markActive(1)).toBe(false);
    expect(tracker.current()).toBe(10);
    expect(tracker.update(0, 20)).toBe(false);
    expect(tracker.update(1, 7)).toBe(false);
    expect(tracker.current()).toBe(10);
    expect(tracker.update(1, 12)).toBe(true);
    expect(tracker.current()).toBe(12);
  });

  test('holds while all are idle, and goes on when one comes back', () => {
    const tracker = new MultiInputWatermarkTracker(2);
    tracker.update(0, 10);
    tracker.update(1, 5);
    tracker.markIdle(0);
    expect(tracker.combinedIdle()).toBe(false);
    expect(tracker.markIdle(1)).toBe(false);
    expect(tracker.combinedIdle()).toBe(true);
    expect(tracker.current()).toBe(5);
    expect(tracker.markActive(0)).toBe(true);
    expect(tracker.combinedIdle()).toBe(false);
    expect(tracker.current()).toBe(10);
  });

  test('raising an idle input brings it back; repeating its watermark does not', () => {
    const tracker = new MultiInputWatermarkTracker(1);
    tracker.update(0, 10);
    tracker.markIdle(0);
    expect(tracker.update(0, 10)).toBe(false);
    expect(tracker.combinedIdle()).toBe(true);
    expect(tracker.update(0, 11)).toBe(true);
    expect(tracker.combinedIdle()).toBe(false);
  });

  test('after all were idle, the one that comes back decides alone', () => {
    const tracker = new MultiInputWatermarkTracker(2);
    tracker.update(0, 10);
    tracker.update(1, 5);
    tracker.markIdle(0);
    tracker.markIdle(1);
    expect(tracker.update(0, 20)).toBe(true);
    expect(tracker.current()).toBe(20);
  });

  test('ended inputs do not hold the others back; when all have ended it is +Infinity', () => {
    const tracker = new MultiInputWatermarkTracker(2);
    tracker.update(0, 10);
    expect(tracker.update(1, Infinity)).toBe(true);
    expect(tracker.current()).toBe(10);
    expect(tracker.update(0, Infinity)).toBe(true);
    expect(tracker.current()).toBe(Infinity);
    expect(tracker.update(0, Infinity)).toBe(false);
  });

  test.each([0, -1, 1.5, NaN])('refuses %d inputs', (inputs) => {
    expect(() => new MultiInputWatermarkTracker(inputs)).toThrow(
      expect.objectContaining({ code: 'RS_INVALID_ARGUMENT' }),
    );
  });

  test.each([-1, 2, 0.5, NaN])('refuses input %d of two', (input) => {
    const tracker = new MultiInputWatermarkTracker(2);
    const unknown = expect.objectContaining({ code: 'RS_INVALID_ARGUMENT' });
    expect(() => tracker.update(input, 1)).toThrow(unknown);
    expect(() => tracker.markIdle(input)).toThrow(unknown);
    expect(() => tracker.markActive(input)).toThrow(unknown);
    expect(tracker.current()).toBe(-Infinity);
  });

  test.each([NaN, 10.5])('refuses %d as a watermark and stays as it was', (watermark) => {
    const tracker = new MultiInputWatermarkTracker(1);
    tracker.update(0, 1);
    tracker.markIdle(0);
    expect(() => tracker.update(0, watermark)).toThrow(
      expect.objectContaining({ code: 'RS_INVALID_TIMESTAMP' }),
    );
    expect(tracker.current()).toBe(1);
    expect(tracker.combinedIdle()).toBe(true);
  });

  test('equals a naive model for random operations, and never falls', () => {
    const inputs = fc.integer({ min: 1, max: 4 });
    const input = fc.nat(11);
    const watermark = fc.oneof(
      { weight: 20, arbitrary: fc.integer({ min: -20, max: 20 }) },
      { weight: 1, arbitrary: fc.constantFrom(-Infinity, Infinity) },
    );
    const operation = fc.oneof(
      { weight: 3, arbitrary: fc.record({ kind: fc.constant('update' as const), input, watermark }) },
      {
        weight: 1,
        arbitrary: fc.record({ kind: fc.constantFrom('idle' as const, 'active' as const), input }),
      },
    );
    fc.assert(
      fc.property(inputs, fc.array(operation, { maxLength: 60 }), (n, operations) => {
        const tracker = new MultiInputWatermarkTracker(n);
        const model = Array.from({ length: n }, () => ({ watermark: -Infinity, idle: false }));
        let combined = -Infinity;
        for (const op of operations) {
          const before = combined;
          const index = op.input % n;
          const own = model[index];
          if (own === undefined) throw new Error(`unreachable: input ${index} of ${n}`);
          let rose: boolean;
          if (op.kind === 'update') {
            rose = tracker.update(index, op.watermark);
            if (op.watermark > own.watermark) own.idle = false;
            own.watermark = Math.max(own.watermark, op.watermark);
          } else {
            rose = op.kind === 'idle' ? tracker.markIdle(index) : tracker.markActive(index);
            own.idle = op.kind === 'idle';
          }
          const active = model.filter((other) => !other.idle).map((other) => other.watermark);
          if (active.length > 0) combined = Math.max(combined, Math.min(...active));
          expect(tracker.current()).toBe(combined);
          expect(tracker.combinedIdle()).toBe(active.length === 0);
          expect(rose).toBe(combined > before);
        }
      }),
      { numRuns: 2000 },
    );
  });
});

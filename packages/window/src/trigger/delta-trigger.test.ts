import type { Codec } from '@rs/core';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { WindowRun } from '../test-support/window-run.ts';
import { TimeWindow } from '../time-window.ts';
import { DeltaTrigger } from './delta-trigger.ts';

const window = new TimeWindow(0, 1000);
const distance = (last: number, current: number) => Math.abs(current - last);

/** The elements that fire. */
function firing(trigger: DeltaTrigger<number>, elements: readonly number[]): number[] {
  const run = new WindowRun(trigger, window);
  return elements.filter((element) => run.element(element, 0).answers().includes('element FIRE'));
}

describe('DeltaTrigger', () => {
  test('fires when an element is further away from the last one that fired than the threshold', () => {
    expect(firing(DeltaTrigger.of(5, distance), [10, 12, 15, 16, 21, 22, 10])).toEqual([16, 22, 10]);
  });

  test('the first element only becomes the last; one exactly at the threshold does not fire', () => {
    expect(firing(DeltaTrigger.of(5, distance), [100])).toEqual([]);
    expect(firing(DeltaTrigger.of(5, distance), [0, 5, -5, 6])).toEqual([6]);
  });

  test('a threshold of 0 fires at every change', () => {
    expect(firing(DeltaTrigger.of(0, distance), [1, 1, 2, 2, 1])).toEqual([2, 1]);
  });

  test('the function gets the last element first, and a signed distance counts in one direction', () => {
    const rise = DeltaTrigger.of(5, (last: number, current: number) => current - last);
    expect(firing(rise, [10, 0, 16, 5, 22])).toEqual([16, 22]);
  });

  test('equals a loop that remembers the last element', () => {
    const values = fc.array(fc.integer({ min: -20, max: 20 }), { maxLength: 30 });
    fc.assert(
      fc.property(fc.nat(15), values, (threshold, elements) => {
        let last = elements[0];
        const expected = elements.filter((element) => {
          if (last === undefined || Math.abs(element - last) <= threshold) return false;
          last = element;
          return true;
        });
        expect(firing(DeltaTrigger.of(threshold, distance), elements)).toEqual(expected);
      }),
      { numRuns: 300 },
    );
  });

  test('neither clock fires it, and it asks for no timer', () => {
    const run = new WindowRun(DeltaTrigger.of(5, distance), window).element(0, 0).watermark(5000).clock(5000);
    expect(run.end().answers()).toEqual([]);
  });

  test('after a merge the last element of the session that starts latest stays', () => {
    const trigger = DeltaTrigger.of(5, distance);
    const first = new WindowRun(trigger, new TimeWindow(0, 10)).element(100, 0);
    const second = new WindowRun(trigger, new TimeWindow(12, 22)).element(0, 12);
    const merged = WindowRun.merged(trigger, new TimeWindow(0, 22), [first, second]);
    expect(merged.element(3, 8).answers()).toEqual([]);
    expect(merged.element(100, 8).answers()).toEqual(['element FIRE']);
  });

  test('after null or undefined it starts anew', () => {
    const run = new WindowRun(
      DeltaTrigger.of<number | null>(5, (last, current) => distance(last ?? 0, current ?? 0)),
      window,
    );
    expect(run.element(10, 0).element(null, 0).element(100, 0).answers()).toEqual(['element FIRE']);
    expect(run.element(106, 0).answers()).toEqual(['element FIRE']);
  });

  test('says how the last element is stored', () => {
    const codec: Codec<number> = { name: 'text', encode: String, decode: Number };
    const [state] = DeltaTrigger.of(5, distance, { codec, ttl: '1h' }).states;
    expect(state).toMatchObject({ kind: 'value', name: 'last', codec, ttl: 3_600_000 });
    expect(DeltaTrigger.of(5, distance).states[0]?.codec).toBeUndefined();
  });

  test.each([NaN, undefined, '7', Promise.resolve(1)])('refuses %p as a distance', (wrong) => {
    // @ts-expect-error -- as a JavaScript caller may
    const trigger = DeltaTrigger.of(5, (): number => wrong);
    const run = new WindowRun(trigger, window).element(1, 0);
    expect(() => run.element(2, 0)).toThrow(
      expect.objectContaining({ code: 'RS_INVALID_VALUE', message: expect.stringMatching(/^DeltaTrigger:/) }),
    );
  });

  test.each([-1, NaN, Infinity])('refuses threshold %d', (threshold) => {
    expect(() => DeltaTrigger.of(threshold, distance)).toThrow(
      expect.objectContaining({ code: 'RS_INVALID_ARGUMENT', details: { received: threshold } }),
    );
  });
});

import type { Evictor, TimestampedElement } from '@rs/core';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { FakeTriggerContext } from '../test-support/fake-trigger-context.ts';
import { CountWindow } from './count-window.ts';

interface Result {
  readonly results: readonly number[][];
  /** The most elements that were kept between two arrivals. */
  readonly kept: number;
}

/** Lets the elements 1, 2, …, count of one key arrive, as an engine does that keeps all elements of a window. */
function run(assigner: CountWindow, count: number): Result {
  const trigger = assigner.getDefaultTrigger();
  const evictor: Evictor<number> | undefined = assigner.getDefaultEvictor();
  const ctx = new FakeTriggerContext(Infinity, trigger.states);
  const window = { start: -Infinity, end: Infinity };
  const results: number[][] = [];
  let elements: readonly TimestampedElement<number>[] = [];
  let kept = 0;
  let fresh = false;
  const fire = () => {
    elements = evictor?.evictBefore?.(elements, window, ctx) ?? elements;
    results.push(elements.map(({ value }) => value));
    elements = evictor?.evictAfter?.(elements, window, ctx) ?? elements;
    fresh = false;
  };

  for (let value = 1; value <= count; value++) {
    elements = [...elements, { value, timestamp: -value }];
    fresh = true;
    const answer = trigger.onElement(value, -value, window, ctx);
    if (answer.startsWith('FIRE')) fire();
    if (answer.endsWith('PURGE')) elements = [];
    kept = Math.max(kept, elements.length);
  }
  if (fresh) fire();
  return { results, kept };
}

/** The last `size` of the elements 1, 2, …, upTo. */
function last(size: number, upTo: number): number[] {
  return Array.from({ length: Math.min(size, upTo) }, (_, i) => Math.max(0, upTo - size) + i + 1);
}

describe('CountWindow', () => {
  test('lives in the global window', () => {
    for (const assigner of [CountWindow.of(3), CountWindow.of(3, 2)]) {
      expect(assigner.assignWindows()).toEqual([{ start: -Infinity, end: Infinity }]);
      expect(assigner.supportsWindowMerging()).toBe(false);
      expect('aligned' in assigner).toBe(false);
      expect(assigner.timeDomain).toBe('event');
    }
  });

  test('tumbling: each element in one result, the rest at the end of the input', () => {
    const { results } = run(CountWindow.of(3), 7);
    expect(results).toEqual([[1, 2, 3], [4, 5, 6], [7]]);
    expect(run(CountWindow.of(3), 6).results).toEqual(results.slice(0, 2));
    expect(CountWindow.of(3).getDefaultEvictor()).toBeUndefined();
  });

  test('sliding: every slide elements the last size of them, fewer at first', () => {
    expect(run(CountWindow.of(4, 2), 7).results).toEqual([
      [1, 2],
      [1, 2, 3, 4],
      [3, 4, 5, 6],
      [4, 5, 6, 7],
    ]);
    expect(run(CountWindow.of(3, 1), 4).results).toEqual([[1], [1, 2], [1, 2, 3], [2, 3, 4]]);
    expect(run(CountWindow.of(5, 3), 6).results).toEqual([
      [1, 2, 3],
      [2, 3, 4, 5, 6],
    ]);
  });

  test('a slide longer than the size leaves elements out', () => {
    expect(run(CountWindow.of(2, 3), 6).results).toEqual([
      [2, 3],
      [5, 6],
    ]);
    expect(run(CountWindow.of(2, 3), 7).results.at(-1)).toEqual([6, 7]);
  });

  test('a slide as long as the size tumbles, apart from the end of the input', () => {
    expect(run(CountWindow.of(3, 3), 6).results).toEqual(run(CountWindow.of(3), 6).results);
    expect(run(CountWindow.of(3, 3), 7).results.at(-1)).toEqual([5, 6, 7]);
  });

  test('tumbling equals cutting the input into pieces', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 8 }), fc.nat(40), (size, count) => {
        const pieces: number[][] = [];
        for (let from = 0; from < count; from += size) {
          pieces.push(last(Math.min(size, count - from), Math.min(from + size, count)));
        }
        const { results, kept } = run(CountWindow.of(size), count);
        expect(results).toEqual(pieces);
        expect(kept).toBeLessThan(size);
      }),
      { numRuns: 300 },
    );
  });

  test('sliding equals taking the last size elements at every slide-th, and keeps no more than it says', () => {
    const sizes = fc.integer({ min: 1, max: 8 });
    fc.assert(
      fc.property(sizes, sizes, fc.nat(40), (size, slide, count) => {
        const ends = Array.from({ length: count }, (_, i) => i + 1);
        const expected = ends.filter((n) => n % slide === 0 || n === count).map((n) => last(size, n));
        const { results, kept } = run(CountWindow.of(size, slide), count);
        expect(results).toEqual(expected);
        expect(kept).toBeLessThanOrEqual(size + slide - 1);
      }),
      { numRuns: 500 },
    );
  });

  test('describe names the numbers of elements', () => {
    expect(CountWindow.of(100).describe()).toBe('count(100)');
    expect(CountWindow.of(100, 10).describe()).toBe('count(100, 10)');
  });

  test.each([0, -1, 1.5, NaN, Infinity])('refuses %d as size or slide', (received) => {
    const refusal = (what: string) =>
      expect.objectContaining({
        code: 'RS_INVALID_ARGUMENT',
        message: expect.stringContaining(`${what} must be an integer of at least 1`),
        details: { what, received },
      });
    expect(() => CountWindow.of(received)).toThrow(refusal('CountWindow.of: size'));
    expect(() => CountWindow.of(received, 2)).toThrow(refusal('CountWindow.of: size'));
    expect(() => CountWindow.of(2, received)).toThrow(refusal('CountWindow.of: slide'));
  });
});

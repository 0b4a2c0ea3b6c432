import { describe, expect, test } from '@jest/globals';
import { isEven, KEYS, reading, WINDOW_MS } from './input.ts';
import { sumByLoop } from './loop.ts';
import { sumByPipeline } from './pipeline.ts';

const RECORDS = 3 * WINDOW_MS + 1_000;

describe('keyed tumbling sum', () => {
  test('half of the records pass, and every key has some in each window', () => {
    const passed = Array.from({ length: WINDOW_MS }, (_, index) => reading(index)).filter(isEven);
    expect(passed.length / WINDOW_MS).toBeCloseTo(0.5, 2);
    expect(new Set(passed.map(({ sensor }) => sensor)).size).toBe(KEYS);
  });

  test('the pipeline and the loop have equal results', () => {
    const totals = sumByLoop(RECORDS, () => undefined);
    expect(totals.results).toBeGreaterThan(3 * KEYS);
    expect(sumByPipeline(RECORDS, () => undefined)).toEqual(totals);
  });

  test.each([sumByLoop, sumByPipeline])('%p reports every record', (variant) => {
    const seen: number[] = [];
    variant(10, (index) => seen.push(index));
    expect(seen).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
  });
});

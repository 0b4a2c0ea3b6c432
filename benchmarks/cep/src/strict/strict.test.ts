import { describe, expect, test } from '@jest/globals';
import { findByHand } from './by-hand.ts';
import { KEYS, steps } from './input.ts';
import { findByJob } from './job.ts';
import { findByMatchers } from './matchers.ts';
import { findByBuffers, findByScan } from './rxjs.ts';

const input = steps(30_000);

describe('strict sequence', () => {
  test('events of all keys and types, where many sequences are found', () => {
    expect(new Set(input.map(({ key }) => key)).size).toBe(KEYS);
    for (const type of ['a', 'b', 'c'] as const) {
      expect(input.filter((step) => step.type === type).length / input.length).toBeCloseTo(1 / 3, 1);
    }
    expect(findByHand(input).found / input.length).toBeCloseTo(1 / 27, 2);
  });

  test('the machine by hand finds what a look at the last three events of a key finds', () => {
    let found = 0;
    const last = new Map<string, string>();
    for (const { key, type } of input) {
      const types = ((last.get(key) ?? '') + type).slice(-3);
      last.set(key, types);
      if (types === 'abc') found++;
    }
    expect(findByHand(input).found).toBe(found);
  });

  test.each([findByMatchers, findByBuffers, findByScan, findByJob])('%p finds the same', async (find) => {
    expect((await find(input)).toString()).toBe(findByHand(input).toString());
  });
});

import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { keys, shuffled } from '../test-support/keys.ts';
import { encodeKey } from './key-encoding.ts';
import { KeyMap } from './key-map.ts';

const steps = fc.array(
  fc.record({ op: fc.constantFrom('set', 'delete', 'get'), key: keys, value: fc.nat(9), seed: fc.nat() }),
  { maxLength: 30 },
);

describe('KeyMap', () => {
  test('is a map from canonical texts', () => {
    fc.assert(
      fc.property(steps, (all) => {
        const map = new KeyMap<number>();
        const model = new Map<string, number>();
        for (const { op, key, value, seed } of all) {
          const same = shuffled(key, seed);
          const text = encodeKey(key);
          if (op === 'set') {
            map.set(same, value);
            model.set(text, value);
          } else if (op === 'delete') {
            expect(map.delete(same)).toBe(model.delete(text));
          }
          expect(map.get(same)).toBe(model.get(text));
          expect(map.size).toBe(model.size);
        }
        expect([...map.values()].sort()).toEqual([...model.values()].sort());
      }),
      { numRuns: 500, seed: 1 },
    );
  });

  test('a text never meets a composite key with the same canonical text', () => {
    const map = new KeyMap<string>();
    map.set(['a'], 'array');
    map.set(encodeKey(['a']), 'text');
    expect([map.get(['a']), map.get('a[3:s:a')]).toEqual(['array', 'text']);
  });

  test('0 and -0 are one key, 1 and 1n and "1" and true are four', () => {
    const map = new KeyMap<string>();
    map.set(0, 'zero');
    for (const key of [1, 1n, '1', true]) map.set(key, typeof key);
    expect(map.get(-0)).toBe('zero');
    expect(map.size).toBe(5);
  });
});

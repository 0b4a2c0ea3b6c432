import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { NumberHeap } from './number-heap.ts';

const numbers = fc.oneof(fc.integer({ min: -5, max: 5 }), fc.constantFrom(Infinity, -Infinity, 2 ** 53));

describe('NumberHeap', () => {
  test('gives the smallest number first, however they came', () => {
    const steps = fc.array(
      fc.oneof(
        fc.record({ op: fc.constant('add' as const), value: numbers }),
        fc.record({ op: fc.constant('remove' as const) }),
        fc.record({ op: fc.constant('replace' as const), values: fc.array(numbers, { maxLength: 8 }) }),
      ),
      { maxLength: 60 },
    );
    fc.assert(
      fc.property(steps, (all) => {
        const heap = new NumberHeap();
        let model: number[] = [];
        for (const step of all) {
          if (step.op === 'add') {
            heap.add(step.value);
            model.push(step.value);
          } else if (step.op === 'remove') {
            heap.removeFirst();
            model.shift();
          } else {
            heap.replace(step.values);
            model = [...step.values];
          }
          model.sort((a, b) => (a === b ? 0 : a < b ? -1 : 1));
          expect([heap.first(), heap.size]).toEqual([model[0], model.length]);
        }
      }),
      { numRuns: 1000, seed: 1 },
    );
  });
});

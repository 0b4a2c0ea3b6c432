import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { Fifo } from './fifo.ts';

test('behaves as an array with push and shift', () => {
  const steps = fc.array(fc.oneof(fc.integer(), fc.constantFrom('shift' as const, 'clear' as const)), {
    maxLength: 200,
  });
  fc.assert(
    fc.property(steps, (drawn) => {
      const fifo = new Fifo<number>();
      let model: number[] = [];
      for (const step of drawn) {
        if (step === 'shift') expect(fifo.shift()).toBe(model.shift());
        else if (step === 'clear') {
          fifo.clear();
          model = [];
        } else {
          fifo.push(step);
          model.push(step);
        }
        expect([fifo.length, fifo.first()]).toEqual([model.length, model[0]]);
      }
    }),
    { seed: 1, numRuns: 200 },
  );
});

import { expect, test } from '@jest/globals';
import { measureCase } from './measure.ts';
import { highest, median } from './statistics.ts';
import type { Sample, Variant } from './suite.ts';

/** A variant whose n-th run has the n-th sample. */
function variant(name: string, samples: Partial<Sample>[], log: string[] = []): Variant {
  const left = [...samples];
  return {
    name,
    role: 'ours',
    run: async () => {
      log.push(name);
      return { value: 1, records: 100, ...left.shift() };
    },
  };
}

test('runs the variants in turn and leaves the first round out', async () => {
  const log: string[] = [];
  const loop = variant('loop', [{ value: 99 }, { value: 1 }, { value: 5 }, { value: 3 }], log);
  const ours = variant('ours', [{ value: 99 }, { value: 7 }, { value: 7 }, { value: 8, records: 50 }], log);
  expect(await measureCase([loop, ours], 3, {})).toEqual([
    { name: 'loop', role: 'ours', median: 3, min: 1, max: 5, records: 100, figures: {} },
    { name: 'ours', role: 'ours', median: 7, min: 7, max: 8, records: 100, figures: {} },
  ]);
  expect(log).toEqual(Array(4).fill(['loop', 'ours']).flat());
});

test('puts figures together as each of them says, and leaves out those that nobody named', async () => {
  const samples = [9, 1, 2, 6].map((value) => ({ figures: { cpu: value, heap: value, other: value } }));
  const figures = {
    cpu: { of: median, digits: 0, text: String },
    heap: { of: highest, digits: 0, text: String },
    missing: { of: highest, digits: 0, text: String },
  };
  const [measured] = await measureCase([variant('ours', samples)], 3, figures);
  expect(measured?.figures).toEqual({ cpu: 2, heap: 6 });
});

test('a result that differs fails the run, also in the round that is not counted', async () => {
  const right = variant('loop', [{ result: 'right' }]);
  await expect(measureCase([right, variant('ours', [{ result: 'wrong' }])], 1, {})).rejects.toThrow(
    'wrong result of ours: wrong; expected: right',
  );
  const changing = variant('ours', [{ result: 'right' }, { result: 'other' }]);
  await expect(measureCase([changing], 1, {})).rejects.toThrow('wrong result of ours: other');
});

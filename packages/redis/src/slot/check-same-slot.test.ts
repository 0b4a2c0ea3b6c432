import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { checkSameSlot } from './check-same-slot.ts';
import { slotOf } from './slot-of.ts';

test('keys of one slot give that slot, no keys give none', () => {
  expect(checkSameSlot([], 'x')).toBeUndefined();
  expect(checkSameSlot(['foo'], 'x')).toBe(12182);
  expect(checkSameSlot(['a{foo}', 'foo', '{foo}:b'], 'x')).toBe(12182);
});

test('keys of several slots are named with them', () => {
  expect(() => checkSameSlot(['{t#0}:p0', '{t#0}:p0:d', '{t#1}:p1'], 'script settle')).toThrow(
    expect.objectContaining({
      code: 'RS_REDIS_CROSS_SLOT',
      message: expect.stringMatching(
        /^script settle: the keys "\{t#0\}:p0" \(slot \d+\) and "\{t#1\}:p1" \(slot \d+\)/,
      ),
      details: {
        what: 'script settle',
        keys: ['{t#0}:p0', '{t#1}:p1'],
        slots: [slotOf('t#0'), slotOf('t#1')],
      },
    }),
  );
});

test('refuses exactly when the slots of two keys differ', () => {
  const key = fc.string({ unit: fc.constantFrom('a', '{', '}'), maxLength: 6 });
  fc.assert(
    fc.property(fc.array(key, { minLength: 1, maxLength: 4 }), (keys) => {
      const slots = new Set(keys.map((each) => slotOf(each)));
      if (slots.size === 1) expect(checkSameSlot(keys, 'x')).toBe([...slots][0]);
      else
        expect(() => checkSameSlot(keys, 'x')).toThrow(
          expect.objectContaining({ code: 'RS_REDIS_CROSS_SLOT' }),
        );
    }),
    { numRuns: 500 },
  );
});

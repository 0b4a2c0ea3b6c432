import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { crc16 } from './crc16.ts';
import { SLOT_COUNT, slotOf } from './slot-of.ts';

test('the checksum is the one of the specification', () => {
  expect(crc16(Buffer.from('123456789'))).toBe(0x31c3);
});

// As CLUSTER KEYSLOT of Redis 7.0.15 gives them.
test.each([
  ['123456789', 12739],
  ['', 0],
  ['foo', 12182],
  ['é', 10180],
  ['{user1000}.following', 3443],
  ['rs:{orders#3}:p3', 10250],
  ['{}foo', 9500],
  ['foo{}{bar}', 8363],
  ['foo{{bar}}zap', 4015],
  ['foo{bar}{zap}', 5061],
  ['{a', 10276],
  ['a{b', 13340],
  ['a}b{c}', 7365],
  ['a}{b', 11640],
])('%p lies in slot %i, as text and as bytes', (key, slot) => {
  expect(slotOf(key)).toBe(slot);
  expect(slotOf(Buffer.from(key))).toBe(slot);
});

describe('properties', () => {
  const text = fc.string({ unit: fc.constantFrom('a', 'b', '{', '}', 'é', '#') });
  const tag = fc.string({ unit: fc.constantFrom('a', 'b', '{', 'é', '#'), minLength: 1 });
  const noBrace = fc.string({ unit: fc.constantFrom('a', '}', 'é') });

  test('a slot is below 16384', () => {
    fc.assert(fc.property(text, (key) => slotOf(key) >= 0 && slotOf(key) < SLOT_COUNT));
  });

  test('a tag decides alone, whatever is around it', () => {
    fc.assert(
      fc.property(noBrace, tag, text, (before, inside, after) => {
        expect(slotOf(`${before}{${inside}}${after}`)).toBe(crc16(Buffer.from(inside)) % SLOT_COUNT);
      }),
    );
  });

  test('an empty tag is none', () => {
    fc.assert(
      fc.property(noBrace, text, (before, after) => {
        const key = `${before}{}${after}`;
        expect(slotOf(key)).toBe(crc16(Buffer.from(key)) % SLOT_COUNT);
      }),
    );
  });
});

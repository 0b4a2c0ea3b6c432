import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { orderedBytes, orderedText } from './ordered-text.ts';

const text = fc.string({
  unit: fc.constantFrom(
    '',
    'a',
    'b',
    '\0',
    '\u007f',
    'é',
    '\uffff',
    '😀',
    '😁',
    '\ud83d',
    '\ud83e',
    '\ude00',
    '\udfff',
    '\u{10ffff}',
    '\u{10000}',
    '\ud800',
    '\udc00',
  ),
  maxLength: 5,
});

const bytesOf = (each: string): Buffer => Buffer.from(orderedBytes(each) as string);

/** Units in the order in which the kernel compares them: halves of characters stand above all others. */
const ranks = (each: string): number[] =>
  Array.from({ length: each.length }, (_, at) => each.charCodeAt(at)).map((unit) =>
    unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit,
  );

function compare(a: string, b: string): number {
  const [x, y] = [ranks(a), ranks(b)];
  for (let at = 0; at < Math.min(x.length, y.length); at++) {
    const difference = (x[at] ?? 0) - (y[at] ?? 0);
    if (difference !== 0) return Math.sign(difference);
  }
  return Math.sign(x.length - y.length);
}

test.each(['', 's:a', 's:größe 😀', '\0'])('well-formed text stays as it is: %p', (each) => {
  expect(orderedBytes(each)).toBe(each);
});

describe('any text', () => {
  test('comes back', () => {
    fc.assert(
      fc.property(text, (each) => {
        expect(orderedText(bytesOf(each))).toBe(each);
      }),
      { numRuns: 2_000 },
    );
  });

  test('is ordered as the kernel orders it', () => {
    fc.assert(
      fc.property(text, text, (a, b) => {
        expect(bytesOf(a).compare(bytesOf(b))).toBe(compare(a, b));
      }),
      { numRuns: 5_000 },
    );
  });
});

import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { safeEnd, safeName } from './safe-name.ts';

/** Texts that look like what others are escaped to, and halves of characters. */
const text = fc.string({
  unit: fc.constantFrom('a', 'd', '0', '8', '%', ':', '{', '}', 'é', '😀', '\ud83d', '\ude00', '\0'),
  maxLength: 6,
});

describe('safeName', () => {
  test.each([
    ['spend-per_minute.1', 'spend-per_minute.1'],
    ['keyBy-3:received', 'keyBy-3%003areceived'],
    ['%', '%0025'],
    ['größe', 'gr%00f6%00dfe'],
    ['\ud800', '%d800'],
    ['', ''],
  ])('%p', (name, safe) => {
    expect(safeName(name)).toBe(safe);
  });

  test('different names stay different, and nothing in them separates', () => {
    fc.assert(
      fc.property(text, text, (a, b) => {
        expect(safeName(a) === safeName(b)).toBe(a === b);
        expect(safeName(a)).toMatch(/^[A-Za-z0-9._%-]*$/);
      }),
    );
  });
});

describe('safeEnd', () => {
  test.each([
    ['s:größe {1}', 's:größe {1}'],
    ['s:%', 's:%'],
    ['%x', '%%0025x'],
    ['s:\ud800%', '%s:%d800%0025'],
  ])('%p', (end, safe) => {
    expect(safeEnd(end)).toBe(safe);
  });

  test('different texts stay different, and can be sent', () => {
    fc.assert(
      fc.property(text, text, (a, b) => {
        expect(safeEnd(a) === safeEnd(b)).toBe(a === b);
        expect(Buffer.from(safeEnd(a)).toString()).toBe(safeEnd(a));
      }),
    );
  });
});

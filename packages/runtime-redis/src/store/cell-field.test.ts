import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { cellField } from './cell-field.ts';

test.each([
  ['s:a', '', 's:a'],
  ['s:a', '5', '3:s:a5'],
  ['3:s:a5', '', '6:3:s:a5'],
  ['', '', ''],
  ['', '5', '0:5'],
])('%p and %p: %p', (key, namespace, field) => {
  expect(cellField(key, namespace)).toBe(field);
});

test('no two cells have one field', () => {
  const text = fc.string({ unit: fc.constantFrom('1', '2', ':', 's'), maxLength: 5 });
  fc.assert(
    fc.property(text, text, text, text, (key, namespace, otherKey, otherNamespace) => {
      const same = key === otherKey && namespace === otherNamespace;
      expect(cellField(key, namespace) === cellField(otherKey, otherNamespace)).toBe(same);
    }),
    { numRuns: 5_000 },
  );
});

import { expect, test } from '@jest/globals';
import { ownValue } from './own-value.ts';

test('gives what was put there, and nothing that all objects have', () => {
  const record = JSON.parse('{ "a": 1, "__proto__": 2 }') as Record<string, number>;
  expect(ownValue(record, 'a')).toBe(1);
  expect(ownValue(record, '__proto__')).toBe(2);
  for (const word of ['constructor', 'toString', 'hasOwnProperty', 'b'])
    expect(ownValue(record, word)).toBeUndefined();
  expect(ownValue({}, '__proto__')).toBeUndefined();
});

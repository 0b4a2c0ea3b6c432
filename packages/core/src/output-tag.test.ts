import { expect, test } from '@jest/globals';
import { outputTag } from './output-tag.ts';

test('a tag is its name, and cannot be changed', () => {
  const late = outputTag<string>('late');
  expect(late).toEqual({ name: 'late' });
  expect(Object.isFrozen(late)).toBe(true);
  expect(outputTag('late')).toEqual(late);
});

test('refuses a bad name where the tag is made', () => {
  expect(() => outputTag('too late')).toThrow(expect.objectContaining({ code: 'RS_INVALID_NAME' }));
  expect(() => outputTag('')).toThrow(/^output tag must be/);
});

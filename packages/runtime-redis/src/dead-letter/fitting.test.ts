import { describe, expect, test } from '@jest/globals';
import { ENTRY_VALUES, RECORD_LIMITS } from '../store/commit-limits.ts';
import { fitting } from './fitting.ts';

const FACTS = 12;

/** The names and values in a field `foreign`. */
function unpacked(fields: readonly unknown[]): readonly Buffer[] {
  expect(fields[0]).toBe('foreign');
  return (JSON.parse(String(fields[1])) as string[]).map((text) => Buffer.from(text, 'base64'));
}

describe('what a dead letter holds of an entry', () => {
  test('is all of it as it was, as long as it fits', () => {
    const fields = new Array<Buffer>(ENTRY_VALUES - FACTS).fill(Buffer.from('ä'));
    expect(fitting(fields, FACTS)).toBe(fields);
  });

  test('with more names and values than fit is all of them in one field, to the byte', () => {
    const fields = Array.from({ length: ENTRY_VALUES - FACTS + 2 }, (_, at) => Buffer.from([0xff, at % 256]));
    const [, , ...others] = fitting(fields, FACTS);
    expect(others).toEqual([]);
    expect(unpacked(fitting(fields, FACTS))).toEqual(fields);
  });

  test('with more bytes than a commit may have is as much as fits, and says so', () => {
    const fields = ['name', Buffer.alloc(RECORD_LIMITS.bytes, 'x'), 'behind', Buffer.from('it')];
    const held = fitting(fields, FACTS);
    const [name, value, ...others] = unpacked(held);
    expect(String(name)).toBe('name');
    expect(value?.equals(Buffer.alloc(value.length, 'x'))).toBe(true);
    expect(value?.length).toBeGreaterThan(RECORD_LIMITS.bytes / 2);
    expect(others).toEqual([]);
    expect(held.slice(2)).toEqual(['cut', expect.stringContaining(`all 4 names and values`)]);
    expect(held.reduce<number>((sum, field) => sum + String(field).length, 0)).toBeLessThan(
      RECORD_LIMITS.bytes,
    );
  });
});

import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { coded } from '../test-support/coded.ts';
import { decodeValue, encodeValue, type StoredData } from './stored-value.ts';

const OF = { operator: 'op', state: 'total' };
const bytesOf = ({ data, ...facts }: StoredData): Buffer => Buffer.from(encodeValue(data, facts) as string);

test.each<[StoredData, string]>([
  [{ data: '42', version: 1 }, '1|42'],
  [{ data: '', version: 0 }, '0|'],
  [{ data: '1|2;e3', version: 12 }, '12|1|2;e3'],
  [{ data: '42', version: 1, expiresAt: 1_700_000_000_000 }, '1;e1700000000000|42'],
  [{ data: '42', version: 1, meta: 'größe|' }, '1;m8|größe|42'],
  [{ data: '42', version: 1, expiresAt: 5, meta: '' }, '1;e5;m0|42'],
  [{ data: Uint8Array.of(0x31, 0x7c), version: 3 }, '3b|1|'],
])('%p is %p', (stored, text) => {
  expect(bytesOf(stored).toString()).toBe(text);
  expect(decodeValue(Buffer.from(text), OF)).toEqual(stored);
});

test.each(['', '|', 'x', '1', '1x|', '-1|2', '1;m|', '{"a":1}', '1;e5'])('%p is refused', (text) => {
  expect(() => decodeValue(Buffer.from(text), OF)).toThrow(coded('RS_INVALID_VALUE', { details: OF }));
});

test('everything comes back', () => {
  const data = fc.oneof(
    fc.string({ unit: fc.constantFrom('1', '|', ';', 'e', 'b', 'é', '😀', '\ud800', '\udc00', '\0') }),
    fc.uint8Array(),
  );
  const stored = fc.record(
    {
      data,
      version: fc.nat(),
      expiresAt: fc.integer({ min: -10, max: Number.MAX_SAFE_INTEGER }),
      meta: fc.string({ unit: fc.constantFrom('1', '|', ';', 'é', '😀', '{') }),
    },
    { requiredKeys: ['data', 'version'] },
  );
  fc.assert(
    fc.property(stored, (each) => {
      expect(decodeValue(bytesOf(each), OF)).toEqual({ ...each });
    }),
    { numRuns: 1_000 },
  );
});

test('bytes do not share memory with what was read', () => {
  const read = bytesOf({ data: Uint8Array.of(1, 2), version: 1 });
  const { data } = decodeValue(read, OF);
  read.fill(0);
  expect(data).toEqual(Uint8Array.of(1, 2));
});

import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { compareIds, idBefore } from './entry-id.ts';

const part = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n });
/** Of few digits too, where most mistakes would be. */
const number = fc.oneof(part, fc.bigInt({ min: 0n, max: 120n }));

describe('compareIds', () => {
  test.each([
    ['5-10', '12-1', -1],
    ['5-9', '5-10', -1],
    ['9-0', '10-0', -1],
    ['12-1', '12-1', 0],
    ['18446744073709551614-0', '18446744073709551615-0', -1],
    ['9007199254740992-0', '9007199254740993-0', -1],
    ['1-123', '12-1', -1],
    ['1-1', '0-18446744073709551615', 1],
  ])('%s and %s: %i', (a, b, sign) => {
    expect(Math.sign(compareIds(a, b))).toBe(sign);
    expect(Math.sign(compareIds(b, a))).toBe(0 - sign);
  });

  test('compares as numbers, the milliseconds first', () => {
    fc.assert(
      fc.property(number, number, number, number, fc.boolean(), (ms, seq, otherMs, otherSeq, same) => {
        const right = same ? ms : otherMs;
        const sign = ms === right ? Number(seq > otherSeq) - Number(seq < otherSeq) : ms < right ? -1 : 1;
        expect(Math.sign(compareIds(`${ms}-${seq}`, `${right}-${otherSeq}`))).toBe(sign);
      }),
      { numRuns: 2_000, seed: 1 },
    );
  });
});

describe('idBefore', () => {
  test.each([
    [1_700_000_000_000, '1699999999999-18446744073709551615'],
    [1, '0-18446744073709551615'],
    [0, '0-0'],
    [-5, '0-0'],
  ])('%i: %s', (ms, id) => {
    expect(idBefore(ms)).toBe(id);
  });

  test('lies before all ids of the time and after all before it', () => {
    expect(compareIds(idBefore(17), '17-0')).toBeLessThan(0);
    expect(compareIds(idBefore(17), '16-18446744073709551614')).toBeGreaterThan(0);
  });
});

import { describe, expect, test } from '@jest/globals';
import type { StartPosition } from '../subscription-options.ts';
import { resolveStart } from './start.ts';

describe('resolveStart', () => {
  test.each<[StartPosition, string]>([
    ['earliest', '0-0'],
    ['latest', '$'],
    ['1700000000000-3', '1700000000000-3'],
    ['007-00', '7-0'],
    ['18446744073709551615-18446744073709551615', '18446744073709551615-18446744073709551615'],
    [new Date(1_700_000_000_000), '1699999999999-18446744073709551615'],
    [new Date(0), '0-0'],
    [new Date(-5), '0-0'],
  ])('%p begins after %s', (from, id) => {
    expect(resolveStart(from, 'from')).toBe(id);
  });

  test.each([
    '0',
    '5',
    '$',
    '5-',
    '-5',
    '5-*',
    '5-0\n',
    '1e3-0',
    '18446744073709551616-0',
    '0-18446744073709551616',
    'Latest',
    '',
    null,
    5,
    {},
  ])('%j is refused', (from) => {
    expect(() => resolveStart(from as StartPosition, "subscribe 'orders': from")).toThrow(
      expect.objectContaining({
        code: 'RS_INVALID_ARGUMENT',
        message: expect.stringMatching(
          /^subscribe 'orders': from must be 'earliest', 'latest', a Date or an id such as '1700000000000-0', got /,
        ) as unknown,
      }),
    );
  });

  test('a Date without a time is refused', () => {
    expect(() => resolveStart(new Date('yesterday'), 'from')).toThrow(
      expect.objectContaining({ code: 'RS_INVALID_TIMESTAMP' }),
    );
  });
});

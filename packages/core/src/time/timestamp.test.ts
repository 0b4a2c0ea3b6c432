import { describe, expect, test } from '@jest/globals';
import { MAX_TIMESTAMP, MIN_TIMESTAMP, checkTimestamp } from './timestamp.ts';

describe('checkTimestamp', () => {
  test.each([0, 1, -1, 1_700_000_000_123, Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER])(
    'returns %p as it is',
    (timestamp) => {
      expect(checkTimestamp(timestamp, 'source')).toBe(timestamp);
    },
  );

  test('turns -0 into 0, so that equal times are one time as a key too', () => {
    expect(checkTimestamp(-0, 'source')).toBe(0);
  });

  test.each([
    Number.NaN,
    MIN_TIMESTAMP,
    MAX_TIMESTAMP,
    0.5,
    Number.MAX_SAFE_INTEGER + 1,
    '5',
    10n,
    new Date(5),
    null,
    undefined,
  ])('refuses %p', (received) => {
    expect(() => checkTimestamp(received as never, 'orders')).toThrow(
      expect.objectContaining({
        code: 'RS_INVALID_TIMESTAMP',
        retriable: false,
        details: { where: 'orders', received },
      }),
    );
  });

  test('tells how to turn the usual mistakes into a timestamp', () => {
    expect(() => checkTimestamp('2024-01-01' as never, 'orders')).toThrow(
      "orders: a timestamp must be a finite integer of epoch milliseconds, got the text '2024-01-01' (convert it with Number or Date.parse first)",
    );
    expect(() => checkTimestamp(new Date(5) as never, 'orders')).toThrow('got a Date (use .getTime())');
    expect(() => checkTimestamp(undefined as never, 'orders')).toThrow('got undefined');
  });
});

test('the sentinels lie outside of all timestamps and saturate', () => {
  expect(MIN_TIMESTAMP).toBeLessThan(Number.MIN_SAFE_INTEGER);
  expect(MAX_TIMESTAMP).toBeGreaterThan(Number.MAX_SAFE_INTEGER);
  expect(MIN_TIMESTAMP - 1).toBe(MIN_TIMESTAMP);
  expect(MAX_TIMESTAMP + 1).toBe(MAX_TIMESTAMP);
});

import { describe, expect, test } from '@jest/globals';
import { checkWatermark } from './index.ts';

describe('checkWatermark', () => {
  test.each([0, -1, 1_700_000_000_000, Number.MAX_SAFE_INTEGER, -Infinity, Infinity])(
    'accepts %d',
    (value) => {
      expect(checkWatermark(value, 'test')).toBe(value);
    },
  );

  test('turns -0 into 0', () => {
    expect(Object.is(checkWatermark(-0, 'test'), 0)).toBe(true);
  });

  test.each([NaN, 0.5, 2 ** 53, -(2 ** 53)])('refuses %d and names the caller', (value) => {
    expect(() => checkWatermark(value, 'my generator')).toThrow(
      expect.objectContaining({
        code: 'RS_INVALID_TIMESTAMP',
        message: expect.stringContaining('my generator'),
      }),
    );
  });
});

import { describe, expect, test } from '@jest/globals';
import { checkName } from './names.ts';

describe('checkName', () => {
  test.each(['a', 'orders', 'A-Z_0.9', '..', '-', 'constructor', '__proto__', 'x'.repeat(128)])(
    'returns %p as it is',
    (name) => {
      expect(checkName(name, 'topic')).toBe(name);
    },
  );

  test.each([
    '',
    'a b',
    'a:b',
    '{x}y',
    'a{b',
    'a}b',
    'a/b',
    't*',
    'a\n',
    '\na',
    'a\0',
    'ä',
    '主题',
    'x'.repeat(129),
    undefined,
    null,
    5,
    10n,
    Symbol('a'),
    ['a'],
    { toString: () => 'a' },
  ])('refuses %p', (received) => {
    expect(() => checkName(received as never, 'topic')).toThrow(
      expect.objectContaining({ code: 'RS_INVALID_NAME', details: { what: 'topic', received } }),
    );
  });

  test('says what is wrong with which name', () => {
    expect(() => checkName('a\nb', 'uid')).toThrow(
      String.raw`uid must be 1 to 128 of the characters A-Z a-z 0-9 . _ - but is "a\nb"`,
    );
    expect(() => checkName(10n as never, 'uid')).toThrow(/but is bigint$/);
  });
});

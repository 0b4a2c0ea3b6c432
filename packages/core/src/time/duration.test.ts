import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { type Duration, durationToMillis, positiveDurationToMillis } from './duration.ts';

const invalid = (received: unknown) =>
  expect.objectContaining({
    code: 'RS_INVALID_DURATION',
    retriable: false,
    details: { what: 'timeout', received },
  });

describe('durationToMillis', () => {
  test.each<[Duration, number]>([
    ['250ms', 250],
    ['5s', 5_000],
    ['1m', 60_000],
    ['2h', 7_200_000],
    ['1d', 86_400_000],
    ['0ms', 0],
    ['0d', 0],
    ['007s', 7_000],
    [0, 0],
    [1_500, 1_500],
    [Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER],
    ['9007199254740991ms', Number.MAX_SAFE_INTEGER],
  ])('%p is %p ms', (duration, millis) => {
    expect(durationToMillis(duration)).toBe(millis);
  });

  test.each<[Duration, number]>([
    ['1.5s', 1_500],
    ['0.25h', 900_000],
    ['1.9ms', 1],
    ['0.0009s', 0],
    [2.999, 2],
    [0.5, 0],
    ['1.001s', 1_001],
    ['1.005s', 1_005],
    ['0.00000001157407407407407407407407408d', 1],
  ])('%p is cut to %p whole ms', (duration, millis) => {
    expect(durationToMillis(duration)).toBe(millis);
  });

  test('keeps every millisecond of a decimal text', () => {
    fc.assert(
      fc.property(fc.nat(1_000_000_000), (millis) => {
        const text = `${Math.trunc(millis / 1_000)}.${String(millis % 1_000).padStart(3, '0')}`;
        expect(durationToMillis(`${text}s` as Duration)).toBe(millis);
      }),
      { numRuns: 500 },
    );
  });

  test.each([
    -1,
    -0.5,
    -0,
    Number.NaN,
    Number.POSITIVE_INFINITY,
    Number.NEGATIVE_INFINITY,
    Number.MAX_SAFE_INTEGER + 1,
    '-1s',
    '-0',
    '-0ms',
    '+1s',
    '',
    's',
    '5',
    '1w',
    '5 s',
    ' 5s',
    '5s\n',
    '1e3ms',
    '.5s',
    '1.s',
    '1.2.3s',
    '0x10ms',
    '٥s',
    'NaNms',
    'Infinityms',
    '1h30m',
    '9007199254740992ms',
    '999999999999999999999999d',
    undefined,
    null,
    true,
    10n,
    Symbol('5s'),
    ['5s'],
    {},
    Object.create(null),
    new Date(5),
    () => 5,
  ])('refuses %p', (received) => {
    expect(() => durationToMillis(received as never, 'timeout')).toThrow(invalid(received));
  });

  test('says which option is wrong, what it was and what is right', () => {
    expect(() => durationToMillis('5 s', 'allowedLateness')).toThrow(
      "allowedLateness must be milliseconds ≥ 0 or a text such as '250ms', '5s', '1m', '2h', '1d', got '5 s'",
    );
    expect(() => durationToMillis(-0)).toThrow(/^duration must .*got -0$/);
    expect(() => durationToMillis(null as never)).toThrow(/got null$/);
    expect(() => durationToMillis(10n as never)).toThrow(/got bigint$/);
  });
});

describe('positiveDurationToMillis', () => {
  test('accepts one millisecond and more', () => {
    expect(positiveDurationToMillis(1)).toBe(1);
    expect(positiveDurationToMillis('1.5s')).toBe(1_500);
  });

  test.each<Duration>([0, '0ms', 0.9, '0.9ms', '0.0001s'])(
    'refuses %p, which is less than 1 ms',
    (received) => {
      expect(() => positiveDurationToMillis(received, 'timeout')).toThrow(invalid(received));
      expect(() => positiveDurationToMillis(received, 'timeout')).toThrow(
        /^timeout must be at least 1 ms, got 0/,
      );
    },
  );

  test('refuses what is no duration', () => {
    expect(() => positiveDurationToMillis(-5, 'timeout')).toThrow(invalid(-5));
    expect(() => positiveDurationToMillis({} as never, 'timeout')).toThrow(invalid({}));
  });
});

import { describe, expect, test } from '@jest/globals';
import type { Duration } from '@rs/core';
import { outcome, toOutcome, wholeDelay } from './outcome.ts';

describe('outcome', () => {
  test('success', () => {
    expect(outcome.success()).toEqual({ type: 'success' });
    expect(Object.isFrozen(outcome.success())).toBe(true);
  });

  test('retry, with and without its own delay', () => {
    const error = new Error('busy');
    expect(outcome.retry()).toEqual({ type: 'retry' });
    expect(outcome.retry({ delay: '5s' })).toEqual({ type: 'retry', delay: 5_000 });
    expect(outcome.retry({ delay: 0, error })).toEqual({ type: 'retry', delay: 0, error });
    expect(Object.keys(outcome.retry({}))).toEqual(['type']);
  });

  test.each([-1, NaN, Infinity, '5 s', null])('retry refuses the delay %j', (delay) => {
    expect(() => outcome.retry({ delay: delay as Duration })).toThrow(
      expect.objectContaining({
        code: 'RS_INVALID_DURATION',
        message: expect.stringMatching(/^outcome\.retry: delay /) as unknown,
      }),
    );
  });

  test('deadLetter', () => {
    const error = new Error('no such customer');
    expect(outcome.deadLetter('unknown customer')).toEqual({
      type: 'deadLetter',
      reason: 'unknown customer',
    });
    expect(outcome.deadLetter('unknown customer', error)).toEqual({
      type: 'deadLetter',
      reason: 'unknown customer',
      error,
    });
  });
});

describe('toOutcome', () => {
  test.each([
    [undefined, { type: 'success' }],
    ['SUCCESS', { type: 'success' }],
    ['RETRY', { type: 'retry' }],
    ['FAIL', { type: 'deadLetter', reason: 'the handler returned FAIL' }],
    ['DEAD_LETTER', { type: 'deadLetter', reason: 'the handler returned DEAD_LETTER' }],
  ])('%j', (result, expected) => {
    expect(toOutcome(result)).toEqual(expected);
  });

  test.each([
    outcome.success(),
    outcome.retry(),
    outcome.retry({ delay: 5, error: 'busy' }),
    outcome.deadLetter('no'),
    { type: 'success', note: 'made by hand' },
  ])('%j is one already', (result) => {
    expect(toOutcome(result)).toBe(result);
  });

  test.each([
    null,
    true,
    0,
    'success',
    'ok',
    '',
    [],
    {},
    { type: 'done' },
    { type: 'retry', delay: -1 },
    { type: 'retry', delay: Infinity },
    { type: 'retry', delay: '5s' },
    { type: 'deadLetter' },
    { type: 'deadLetter', reason: 5 },
    Symbol('s'),
    Promise.resolve(),
  ])('%p is refused', (result) => {
    expect(() => toOutcome(result)).toThrow(
      expect.objectContaining({
        code: 'RS_INVALID_VALUE',
        message: expect.stringMatching(/^a handler must return nothing, 'SUCCESS', /) as unknown,
        details: { received: result },
      }),
    );
  });
});

test.each([
  [0, 0],
  [1e-7, 1],
  [1.5, 2],
  [1e300, 100 * 365 * 24 * 60 * 60 * 1_000],
])('a delay of %p ms is one of %p', (delay, whole) => {
  expect(wholeDelay(delay)).toBe(whole);
});

import { describe, expect, jest, test } from '@jest/globals';
import { RsError } from '@rs/core';
import type { RetryOptions } from '../subscription-options.ts';
import { decide, decideRetry, resolveRetry } from './retry-policy.ts';

const half = () => 0.5;

function refusal(code: string, message: RegExp): unknown {
  return expect.objectContaining({ code, message: expect.stringMatching(message) as unknown });
}

describe('resolveRetry', () => {
  test('defaults', () => {
    expect(resolveRetry()).toEqual({
      maxAttempts: 5,
      initialBackoff: 1_000,
      maxBackoff: 60_000,
      multiplier: 2,
      jitter: 'full',
      policy: undefined,
    });
  });

  test('what is given is taken; what is undefined is not given', () => {
    const policy = () => 'retry' as const;
    expect(resolveRetry({ maxAttempts: 1, initialBackoff: '5s', jitter: 'none', policy })).toMatchObject({
      maxAttempts: 1,
      initialBackoff: 5_000,
      maxBackoff: 60_000,
      jitter: 'none',
      policy,
    });
    expect(resolveRetry({ maxAttempts: undefined, multiplier: undefined } as never)).toEqual(resolveRetry());
  });

  test('who sets one of the two waits need not know the default of the other', () => {
    expect(resolveRetry({ maxBackoff: '200ms' })).toMatchObject({ initialBackoff: 200, maxBackoff: 200 });
    expect(resolveRetry({ initialBackoff: '5m' })).toMatchObject({
      initialBackoff: 300_000,
      maxBackoff: 300_000,
    });
  });

  test.each<[object, string, RegExp]>([
    [
      { maxAttempts: 0 },
      'RS_INVALID_ARGUMENT',
      /^s: retry\.maxAttempts must be an integer of at least 1, got 0$/,
    ],
    [{ maxAttempts: '3' }, 'RS_INVALID_ARGUMENT', /got '3'$/],
    [{ maxAttempts: null }, 'RS_INVALID_ARGUMENT', /got null$/],
    [{ initialBackoff: null }, 'RS_INVALID_DURATION', /got null$/],
    [{ maxAttempts: Infinity }, 'RS_INVALID_ARGUMENT', /got Infinity$/],
    [{ initialBackoff: -1 }, 'RS_INVALID_DURATION', /^s: retry\.initialBackoff /],
    [{ maxBackoff: '1 minute' }, 'RS_INVALID_DURATION', /^s: retry\.maxBackoff /],
    [{ initialBackoff: '2s', maxBackoff: '1s' }, 'RS_INVALID_ARGUMENT', /2000 ms, longer than .* 1000 ms/],
    [
      { multiplier: 0.5 },
      'RS_INVALID_ARGUMENT',
      /^s: retry\.multiplier must be a number of at least 1, got 0\.5$/,
    ],
    [{ multiplier: NaN }, 'RS_INVALID_ARGUMENT', /got NaN$/],
    [{ jitter: true }, 'RS_INVALID_ARGUMENT', /^s: retry\.jitter must be 'full' or 'none', got true$/],
    [{ policy: 'retry' }, 'RS_INVALID_ARGUMENT', /^s: retry\.policy must be a function, got 'retry'$/],
    [
      { maxRetries: 3 },
      'RS_INVALID_ARGUMENT',
      /^s: retry: there is no option 'maxRetries'; there are maxAttempts, /,
    ],
    [{ maxAttempt: 3 }, 'RS_INVALID_ARGUMENT', /did you mean 'maxAttempts'\?/],
    [[], 'RS_INVALID_ARGUMENT', /^s: retry must be an object, got an array$/],
  ])('%j is refused', (options, code, message) => {
    expect(() => resolveRetry(options as RetryOptions, 's: retry')).toThrow(refusal(code, message));
  });
});

describe('decide', () => {
  const error = new Error('no answer');

  test('maxAttempts is how often it runs in all', () => {
    const policy = resolveRetry({ maxAttempts: 3, jitter: 'none' });
    expect([1, 2, 3, 4].map((attempt) => decide(policy, error, attempt, half))).toEqual([
      { type: 'retry', delay: 1_000 },
      { type: 'retry', delay: 2_000 },
      { type: 'deadLetter', reason: 'attempts' },
      { type: 'deadLetter', reason: 'attempts' },
    ]);
    expect(decide(resolveRetry({ maxAttempts: 1 }), error, 1, half)).toEqual({
      type: 'deadLetter',
      reason: 'attempts',
    });
  });

  test('an invalid value is not worth another attempt, other errors of this library are', () => {
    const policy = resolveRetry({ jitter: 'none' });
    expect(decide(policy, new RsError('RS_INVALID_VALUE', 'no'), 1, half)).toEqual({
      type: 'deadLetter',
      reason: 'policy',
    });
    expect(decide(policy, new RsError('RS_INVALID_VALUE', 'no', { retriable: true }), 1, half).type).toBe(
      'retry',
    );
    expect(decide(policy, new RsError('RS_CLOSED', 'no'), 1, half).type).toBe('retry');
  });

  test('what is thrown may be anything', () => {
    const policy = resolveRetry({ jitter: 'none' });
    const hostile = new Proxy({}, { has: () => { throw new Error('hands off'); } }); // prettier-ignore
    for (const thrown of [undefined, null, 'text', 5, hostile]) {
      expect(decide(policy, thrown, 1, half)).toEqual({ type: 'retry', delay: 1_000 });
    }
  });

  test('the policy decides by error and attempt', () => {
    const policy = jest.fn<NonNullable<RetryOptions['policy']>>();
    const retry = resolveRetry({ policy });
    policy
      .mockReturnValueOnce('retry')
      .mockReturnValueOnce('deadLetter')
      .mockReturnValueOnce({ delay: '10s' });
    expect(decide(retry, error, 2, half)).toEqual({ type: 'retry', delay: 1_000 });
    expect(decide(retry, error, 3, half)).toEqual({ type: 'deadLetter', reason: 'policy' });
    expect(decide(retry, error, 4, half)).toEqual({ type: 'retry', delay: 10_000 });
    expect(decide(retry, error, 5, half)).toEqual({ type: 'deadLetter', reason: 'attempts' });
    expect(policy.mock.calls).toEqual([
      [error, 2],
      [error, 3],
      [error, 4],
    ]);
  });

  test('a policy that throws: by the rules, and what it threw is reported', () => {
    const thrown = new Error('a mistake');
    const policy = resolveRetry({
      policy: () => {
        throw thrown;
      },
    });
    expect(decide(policy, error, 1, half)).toEqual({ type: 'retry', delay: 500, policyError: thrown });
  });

  test.each([undefined, null, 'RETRY', true, {}, { delay: '5 seconds' }, { delay: -1 }])(
    'a policy that returns %j: by the rules, and reported',
    (said) => {
      const policy = resolveRetry({ policy: () => said as never });
      expect(decide(policy, error, 1, half)).toEqual({
        type: 'retry',
        delay: 500,
        policyError: expect.any(RsError) as unknown,
      });
    },
  );

  test('a policy that is asynchronous is reported, and its rejection ends nothing', async () => {
    const policy = resolveRetry({ policy: (async () => Promise.reject(new Error('later'))) as never });
    const decision = decide(policy, error, 1, half);
    expect(decision).toMatchObject({ type: 'retry', delay: 500 });
    expect(decision).toHaveProperty('policyError.message', expect.stringContaining('got a promise'));
    await new Promise(setImmediate); // an unhandled rejection would fail this test
  });
});

describe('decideRetry', () => {
  const policy = resolveRetry({ maxAttempts: 3, policy: () => 'deadLetter' });

  test('by its delay, else by the rules; the policy for errors is not asked', () => {
    expect(decideRetry(policy, { type: 'retry', delay: 70 }, 1, half)).toEqual({ type: 'retry', delay: 70 });
    expect(decideRetry(policy, { type: 'retry', delay: 0 }, 1, half)).toEqual({ type: 'retry', delay: 0 });
    expect(decideRetry(policy, { type: 'retry' }, 2, half)).toEqual({ type: 'retry', delay: 1_000 });
  });

  test('its attempts can be used up too', () => {
    expect(decideRetry(policy, { type: 'retry', delay: 70 }, 3, half)).toEqual({
      type: 'deadLetter',
      reason: 'attempts',
    });
  });
});

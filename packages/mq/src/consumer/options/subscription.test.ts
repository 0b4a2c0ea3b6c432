import { describe, expect, test } from '@jest/globals';
import { resolveRetry } from '../retry/retry-policy.ts';
import type { ConsumerSubscriptionOptions } from '../subscription-options.ts';
import { resolveSubscription, SUBSCRIPTION_DEFAULTS } from './subscription.ts';

const WHAT = "subscribe 'orders'";

describe('resolveSubscription', () => {
  test('defaults', () => {
    const defaults = {
      ordering: 'partition',
      concurrency: 1,
      retry: resolveRetry(),
      ack: 'auto',
      handlerTimeout: undefined,
      maxInFlight: 512,
      maxInFlightBytes: 8_388_608,
      maxParked: 1_000,
      batchCount: 256,
      from: '0-0',
      pin: undefined,
    };
    expect(resolveSubscription()).toEqual(defaults);
    expect(resolveSubscription({})).toEqual(defaults);
    expect(resolveSubscription(SUBSCRIPTION_DEFAULTS)).toEqual(defaults);
    const nothing = Object.fromEntries(Object.keys(defaults).map((name) => [name, undefined]));
    expect(resolveSubscription(nothing)).toEqual(defaults);
  });

  test('everything given is taken', () => {
    const given: ConsumerSubscriptionOptions = {
      ordering: 'none',
      concurrency: 4,
      retry: { maxAttempts: 2 },
      ack: 'manual',
      handlerTimeout: '30s',
      maxInFlight: 10,
      maxInFlightBytes: 11,
      maxParked: 12,
      batchCount: 13,
      from: '5-1',
      pin: { modulo: 3, remainder: 2 },
    };
    expect(resolveSubscription(given)).toEqual({
      ...given,
      retry: resolveRetry({ maxAttempts: 2 }),
      handlerTimeout: 30_000,
    });
  });

  test.each<[ConsumerSubscriptionOptions, string]>([
    [{}, 'partition'],
    [{ concurrency: 1 }, 'partition'],
    [{ concurrency: 2 }, 'key'],
    [{ concurrency: 2, ordering: 'none' }, 'none'],
    [{ ordering: 'key' }, 'key'],
    [{ concurrency: 1, ordering: 'partition' }, 'partition'],
  ])('%j: ordering %s', (options, ordering) => {
    expect(resolveSubscription(options).ordering).toBe(ordering);
  });

  test('the result does not change with what it was made of', () => {
    const pin = { modulo: 2, remainder: 1 };
    const resolved = resolveSubscription({ pin });
    pin.remainder = 0;
    expect(resolved.pin).toEqual({ modulo: 2, remainder: 1 });
  });

  test.each<[unknown, string, RegExp]>([
    [null, 'RS_INVALID_ARGUMENT', /^subscribe 'orders': options must be an object, got null$/],
    [{ concurrency: 0 }, 'RS_INVALID_ARGUMENT', /: concurrency must be an integer of at least 1, got 0$/],
    [{ concurrency: 1.5 }, 'RS_INVALID_ARGUMENT', /: concurrency .* got 1\.5$/],
    [{ concurrency: '4' }, 'RS_INVALID_ARGUMENT', /: concurrency .* got '4'$/],
    [{ maxInFlight: -1 }, 'RS_INVALID_ARGUMENT', /: maxInFlight /],
    [{ maxInFlightBytes: NaN }, 'RS_INVALID_ARGUMENT', /: maxInFlightBytes /],
    [{ maxParked: Infinity }, 'RS_INVALID_ARGUMENT', /: maxParked /],
    [{ batchCount: 1_001 }, 'RS_INVALID_ARGUMENT', /: batchCount must be at most 1000, got 1001$/],
    [{ maxInFlight: 100_001 }, 'RS_INVALID_ARGUMENT', /: maxInFlight must be at most 100000, got 100001$/],
    [{ batchCount: null }, 'RS_INVALID_ARGUMENT', /: batchCount .* got null$/],
    [
      { ordering: 'keys' },
      'RS_INVALID_ARGUMENT',
      /: ordering must be 'partition' or 'key' or 'none', got 'keys'$/,
    ],
    [
      { ordering: 'partition', concurrency: 2 },
      'RS_INVALID_ARGUMENT',
      /: ordering 'partition' means one message at a time, but concurrency is 2; take ordering 'key', or concurrency 1$/,
    ],
    [{ ack: true }, 'RS_INVALID_ARGUMENT', /: ack must be 'auto' or 'manual', got true$/],
    [{ handlerTimeout: 0 }, 'RS_INVALID_DURATION', /: handlerTimeout must be at least 1 ms/],
    [{ handlerTimeout: '1 s' }, 'RS_INVALID_DURATION', /: handlerTimeout /],
    [{ retry: { maxAttempts: 0 } }, 'RS_INVALID_ARGUMENT', /: retry\.maxAttempts /],
    [{ retry: 5 }, 'RS_INVALID_ARGUMENT', /: retry must be an object, got 5$/],
    [{ from: null }, 'RS_INVALID_ARGUMENT', /: from .* got null$/],
    [{ from: 'first' }, 'RS_INVALID_ARGUMENT', /: from must be /],
    [{ pin: 3 }, 'RS_INVALID_ARGUMENT', /: pin must be an object, got 3$/],
    [
      { pin: { modulo: 0, remainder: 0 } },
      'RS_INVALID_ARGUMENT',
      /: pin\.modulo must be an integer of at least 1/,
    ],
    [
      { pin: { modulo: 3, remainder: 3 } },
      'RS_INVALID_ARGUMENT',
      /: pin\.remainder must be an integer from 0 to 2 \(below modulo\), got 3$/,
    ],
    [{ pin: { modulo: 3, remainder: -1 } }, 'RS_INVALID_ARGUMENT', /: pin\.remainder .* got -1$/],
    [{ pin: { modulo: 3 } }, 'RS_INVALID_ARGUMENT', /: pin\.remainder .* got undefined$/],
    [{ pin: { module: 3, remainder: 1 } }, 'RS_INVALID_ARGUMENT', /: pin: .*did you mean 'modulo'\?$/],
    [
      { concurency: 4 },
      'RS_INVALID_ARGUMENT',
      /: there is no option 'concurency'; did you mean 'concurrency'\?$/,
    ],
  ])('%j is refused', (options, code, message) => {
    expect(() => resolveSubscription(options as ConsumerSubscriptionOptions, WHAT)).toThrow(
      expect.objectContaining({ code, message: expect.stringMatching(message) as unknown }),
    );
  });

  test('an error names the call', () => {
    expect(() => resolveSubscription({ maxParked: 0 }, WHAT)).toThrow(
      "subscribe 'orders': maxParked must be an integer of at least 1, got 0",
    );
  });
});

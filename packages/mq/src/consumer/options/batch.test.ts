import { describe, expect, test } from '@jest/globals';
import type { BatchOptions } from '../subscription-options.ts';
import { resolveBatch } from './batch.ts';

const subscription = { concurrency: 1, maxInFlight: 512, ack: 'auto' } as const;

describe('resolveBatch', () => {
  test('defaults', () => {
    const defaults = { max: 100, maxWait: 0 };
    expect(resolveBatch(undefined, subscription)).toEqual(defaults);
    expect(resolveBatch({ max: undefined, maxWait: undefined } as never, subscription)).toEqual(defaults);
  });

  test('who reads fewer ahead gets smaller batches without asking for them', () => {
    expect(resolveBatch({}, { concurrency: 1, maxInFlight: 20, ack: 'auto' })).toEqual({
      max: 20,
      maxWait: 0,
    });
  });

  test('what is given is taken', () => {
    expect(resolveBatch({ max: 512, maxWait: '1s' }, subscription)).toEqual({ max: 512, maxWait: 1_000 });
  });

  test.each<[unknown, string, RegExp]>([
    [{ max: 0 }, 'RS_INVALID_ARGUMENT', /^batch\.max must be an integer of at least 1, got 0$/],
    [
      { max: 513 },
      'RS_INVALID_ARGUMENT',
      /^batch\.max is 513, but no more than maxInFlight, 512, are read; raise/,
    ],
    [{ maxWait: -1 }, 'RS_INVALID_DURATION', /^batch\.maxWait must be /],
    [{ maxWait: '1sec' }, 'RS_INVALID_DURATION', /^batch\.maxWait must be /],
    [{ wait: 5 }, 'RS_INVALID_ARGUMENT', /^batch: there is no option 'wait'; /],
    [7, 'RS_INVALID_ARGUMENT', /^batch must be an object, got 7$/],
  ])('%j is refused', (options, code, message) => {
    expect(() => resolveBatch(options as BatchOptions, subscription)).toThrow(
      expect.objectContaining({ code, message: expect.stringMatching(message) as unknown }),
    );
  });

  test('a concurrency is refused: there is one batch at a time', () => {
    expect(() =>
      resolveBatch({}, { concurrency: 2, maxInFlight: 512, ack: 'auto' }, "subscribe 'orders': batch"),
    ).toThrow(
      "subscribe 'orders': batch: a batch handler gets one batch at a time, but concurrency is 2; leave it out",
    );
  });
});

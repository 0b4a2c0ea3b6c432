import { describe, expect, test } from '@jest/globals';
import { describeGraph } from '../graph/describe.ts';
import { errorOf } from '../test-support/error-of.ts';
import { TestEnvironment } from '../test-support/test-environment.ts';
import { mapAsyncSpec } from './map-async-spec.ts';

const untyped = (value: unknown) => value as never;
const fn = (value: string) => value;

describe('the options of mapAsync', () => {
  test('have defaults', () => {
    const { retry, ...spec } = mapAsyncSpec(fn, {});
    expect(spec).toEqual({ fn, concurrency: 16, ordered: true, timeout: undefined });
    expect(retry).toMatchObject({ attempts: 1, delay: 100, maxDelay: 10_000 });
    expect(retry.retryIf(new Error('any'))).toBe(true);
  });

  test('are taken as they are, durations in milliseconds', () => {
    const retryIf = () => false;
    const { retry, ...spec } = mapAsyncSpec(fn, {
      concurrency: 1,
      ordered: false,
      timeout: '2s',
      retry: { attempts: 5, delay: 0, maxDelay: '1m', retryIf },
    });
    expect(spec).toEqual({ fn, concurrency: 1, ordered: false, timeout: 2000 });
    expect(retry).toEqual({ attempts: 5, delay: 0, maxDelay: 60_000, retryIf });
  });

  test.each([
    [undefined, 100],
    ['1s', 100],
    [100, 100],
    [99, 99],
    [0, 0],
  ] as const)('a maxDelay of %p leaves a first delay of %d ms', (maxDelay, delay) => {
    const retry = { attempts: 2, ...(maxDelay === undefined ? {} : { maxDelay }) };
    expect(mapAsyncSpec(fn, { retry }).retry.delay).toBe(delay);
  });

  test.each<[unknown, string, string]>([
    [null, 'RS_INVALID_ARGUMENT', 'mapAsync: options must be an object, got null'],
    [16, 'RS_INVALID_ARGUMENT', 'mapAsync: options must be an object, got 16'],
    [
      { concurrency: 0 },
      'RS_INVALID_ARGUMENT',
      'mapAsync: concurrency must be an integer of at least 1, got 0',
    ],
    [{ concurrency: 1.5 }, 'RS_INVALID_ARGUMENT', 'mapAsync: concurrency'],
    [{ concurrency: Infinity }, 'RS_INVALID_ARGUMENT', 'mapAsync: concurrency'],
    [
      { concurrency: '8' },
      'RS_INVALID_ARGUMENT',
      "mapAsync: concurrency must be an integer of at least 1, got '8'",
    ],
    [{ ordered: 'no' }, 'RS_INVALID_ARGUMENT', 'mapAsync: ordered must be true or false'],
    [{ timeout: 0 }, 'RS_INVALID_DURATION', 'mapAsync: timeout must be at least 1 ms'],
    [{ timeout: '5 s' }, 'RS_INVALID_DURATION', 'mapAsync: timeout'],
    [{ timeout: null }, 'RS_INVALID_DURATION', 'mapAsync: timeout'],
    [{ retry: null }, 'RS_INVALID_ARGUMENT', 'mapAsync: retry must be an object, got null'],
    [{ retry: 3 }, 'RS_INVALID_ARGUMENT', 'mapAsync: retry must be an object, got 3'],
    [
      { retry: {} },
      'RS_INVALID_ARGUMENT',
      'mapAsync: retry.attempts must be an integer of at least 1, got undefined',
    ],
    [{ retry: { attempts: 0 } }, 'RS_INVALID_ARGUMENT', 'mapAsync: retry.attempts'],
    [{ retry: { attempts: 2, delay: -1 } }, 'RS_INVALID_DURATION', 'mapAsync: retry.delay'],
    [{ retry: { attempts: 2, delay: null } }, 'RS_INVALID_DURATION', 'mapAsync: retry.delay'],
    [{ retry: { attempts: 2, maxDelay: null } }, 'RS_INVALID_DURATION', 'mapAsync: retry.maxDelay'],
    [
      { retry: { attempts: 2, delay: 11, maxDelay: 10 } },
      'RS_INVALID_ARGUMENT',
      'mapAsync: retry.delay is 11 ms',
    ],
    [{ retry: { attempts: 2, maxDelay: 'long' } }, 'RS_INVALID_DURATION', 'mapAsync: retry.maxDelay'],
    [
      { retry: { attempts: 2, delay: '30s' } },
      'RS_INVALID_ARGUMENT',
      'mapAsync: retry.delay is 30000 ms, longer',
    ],
    [
      { retry: { attempts: 2, retryIf: true } },
      'RS_INVALID_ARGUMENT',
      'mapAsync: retry.retryIf needs a function',
    ],
  ])('%j is refused when it is declared', (options, code, message) => {
    const error = errorOf(() => new TestEnvironment().input<string>().mapAsync(fn, untyped(options)));
    expect([error.code, error.message]).toEqual([code, expect.stringContaining(message)]);
  });

  test.each([null, undefined, 'text', {}])('a function that is %p is refused', (bad) => {
    const error = errorOf(() => new TestEnvironment().input<string>().mapAsync(untyped(bad)));
    expect([error.code, error.message]).toEqual([
      'RS_INVALID_ARGUMENT',
      expect.stringContaining('mapAsync needs a function'),
    ]);
  });
});

test('a graph tells how many records are under way at once', () => {
  const env = new TestEnvironment();
  const input = env.input<string>();
  input.mapAsync(fn).addSink(() => undefined);
  input.mapAsync(fn, { name: 'ask', concurrency: 4, ordered: false }).addSink(() => undefined);
  const details = describeGraph(env.graph())
    .operators.filter(({ kind }) => kind === 'mapAsync')
    .map(({ name, detail }) => [name, detail]);
  expect(details).toEqual([
    ['mapAsync', 'concurrency 16'],
    ['ask', 'concurrency 4, unordered'],
  ]);
});

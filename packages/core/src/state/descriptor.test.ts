import { describe, expect, test } from '@jest/globals';
import { aggregatingState, reducingState } from './accumulating.ts';
import type { Codec } from './codec.ts';
import type { StateOptions } from './descriptor-base.ts';
import {
  type StateDescriptor,
  largeMapState,
  listState,
  mapState,
  setState,
  valueState,
} from './descriptor.ts';
import { jsonCodec } from './json-codec.ts';

type Factory = (name: string, options?: StateOptions<string>) => StateDescriptor;

const concatenation = {
  createAccumulator: () => '',
  add: (value: string, accumulator: string) => accumulator + value,
  getResult: (accumulator: string) => accumulator.length,
};

const kinds: readonly [StateDescriptor['kind'], Factory][] = [
  ['value', valueState<string>],
  ['map', mapState<string, string>],
  ['list', listState<string>],
  ['set', setState<string>],
  ['largeMap', largeMapState<string, string>],
  ['reducing', (name, options) => reducingState<string>(name, { reduce: (a, b) => a + b, ...options })],
  ['aggregating', (name, options) => aggregatingState(name, { aggregate: concatenation, ...options })],
];

describe.each(kinds)('a descriptor of kind %s', (kind, factory) => {
  test('has defaults', () => {
    expect(factory('s')).toMatchObject({
      kind,
      name: 's',
      codec: undefined,
      schemaVersion: 1,
      migrate: undefined,
      ttl: undefined,
    });
  });

  test('keeps what was given, with the ttl in milliseconds', () => {
    const codec: Codec<string> = jsonCodec();
    const migrate = (old: unknown): string => String(old);
    expect(factory('s', { codec, migrate, schemaVersion: 3, ttl: '1.5h' })).toMatchObject({
      codec,
      migrate,
      schemaVersion: 3,
      ttl: 5_400_000,
    });
  });

  test('cannot be changed', () => {
    expect(Object.isFrozen(factory('s'))).toBe(true);
  });

  test.each(['', 'a b', 'a:b', Symbol('s'), undefined])('refuses the name %p', (name) => {
    expect(() => factory(name as never)).toThrow(expect.objectContaining({ code: 'RS_INVALID_NAME' }));
    // Also next to another mistake: the message must not fail on the name.
    expect(() => factory(name as never, { schemaVersion: 0 })).toThrow(
      expect.objectContaining({ code: 'RS_INVALID_NAME' }),
    );
  });

  test.each([0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, '2', null])(
    'refuses the schemaVersion %p',
    (received) => {
      expect(() => factory('s', { schemaVersion: received as never })).toThrow(
        expect.objectContaining({ code: 'RS_INVALID_ARGUMENT', details: { state: 's', received } }),
      );
    },
  );

  test.each([null, {}, 'json', { encode: () => '' }, { decode: () => '' }])(
    'refuses the codec %p, which lacks encode or decode',
    (received) => {
      expect(() => factory('s', { codec: received as never })).toThrow(
        expect.objectContaining({
          code: 'RS_INVALID_ARGUMENT',
          message: expect.stringMatching(
            /^state 's': codec must be an object with encode and decode/,
          ) as unknown,
          details: { what: "state 's': codec", received },
        }),
      );
    },
  );

  test.each([null, 1, {}])('refuses to migrate with %p', (received) => {
    expect(() => factory('s', { migrate: received as never })).toThrow(
      expect.objectContaining({
        code: 'RS_INVALID_ARGUMENT',
        message: expect.stringMatching(/^state 's': migrate must be a function/) as unknown,
        details: { state: 's', received },
      }),
    );
  });

  test.each([0, -1, '0s', 'soon', null])('refuses the ttl %p', (ttl) => {
    expect(() => factory('s', { ttl: ttl as never })).toThrow(
      expect.objectContaining({ code: 'RS_INVALID_DURATION' }),
    );
    expect(() => factory('s', { ttl: ttl as never })).toThrow(/^ttl of state 's' must be/);
  });
});

/** As the kinds are called without the options that each needs. */
const bare: Record<StateDescriptor['kind'], (name: string, options: never) => StateDescriptor> = {
  value: valueState,
  map: mapState,
  list: listState,
  set: setState,
  largeMap: largeMapState,
  reducing: reducingState,
  aggregating: aggregatingState,
};

describe.each(Object.entries(bare))('options of kind %s', (_kind, declare) => {
  test.each([null, 5, 'x', true, Symbol('s'), () => 0, [1]])('that are %p are refused', (options) => {
    expect(() => declare('r', options as never)).toThrow(
      expect.objectContaining({
        code: 'RS_INVALID_ARGUMENT',
        message: expect.stringMatching(/^state 'r': options must be an object, got /) as unknown,
      }),
    );
  });
});

describe('valueState', () => {
  test('keeps the default as a function, so that keys do not share a value', () => {
    const counts = valueState('counts', { default: () => ({ n: 0 }) });
    expect(counts.default?.()).toEqual({ n: 0 });
    expect(counts.default?.()).not.toBe(counts.default?.());
    expect(valueState('last').default).toBeUndefined();
  });

  test.each([0, null, {}, 'x'])('refuses the default %p, which is no function', (value) => {
    expect(() => valueState('count', { default: value as never })).toThrow(
      expect.objectContaining({ code: 'RS_INVALID_ARGUMENT' }),
    );
  });
});

describe('reducingState', () => {
  test('keeps the function', () => {
    const reduce = (a: number, b: number) => a + b;
    expect(reducingState('total', { reduce }).reduce).toBe(reduce);
  });

  test.each([{}, { reduce: undefined }, { reduce: 'sum' }])(
    'refuses the options %p, which have no function to reduce with',
    (options) => {
      expect(() => reducingState('total', options as never)).toThrow(
        expect.objectContaining({
          code: 'RS_INVALID_ARGUMENT',
          message: expect.stringContaining("state 'total': reduce") as unknown,
        }),
      );
    },
  );
});

describe('aggregatingState', () => {
  test('keeps the function', () => {
    expect(aggregatingState('length', { aggregate: concatenation }).aggregate).toBe(concatenation);
  });

  const all = ['createAccumulator', 'add', 'getResult'];
  test.each<[unknown, string[]]>([
    [{}, all],
    [{ aggregate: null }, all],
    [{ aggregate: () => 0 }, all],
    [{ aggregate: { ...concatenation, add: undefined } }, ['add']],
    [{ aggregate: { add: concatenation.add } }, ['createAccumulator', 'getResult']],
  ])('refuses the options %p and says what is missing', (options, missing) => {
    expect(() => aggregatingState('length', options as never)).toThrow(
      expect.objectContaining({
        code: 'RS_INVALID_ARGUMENT',
        details: { state: 'length', missing },
      }),
    );
  });
});

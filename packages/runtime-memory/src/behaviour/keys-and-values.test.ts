import { describe, expect, test } from '@jest/globals';
import { type KeyedStream, type StreamEnvironment, valueState } from '@rs/core';
import { coded } from '../test-support/coded.ts';
import { MODES, run } from '../test-support/run.ts';

const COUNT = valueState('count', { default: () => 0 });

describe.each(MODES)('keys, %s', (mode) => {
  /** Counts per key, `[key, count]` for every record. */
  async function counts<K>(keys: readonly K[]): Promise<[K, number][]> {
    const out: [K, number][] = [];
    await run(mode, (env) => {
      const keyed = env.fromCollection(keys).keyBy((key) => key);
      const count = keyed.getState(COUNT);
      keyed
        .process<[K, number]>((key, _value, _ctx, collector) => {
          count.update(count.value() + 1);
          collector.collect([key, count.value()]);
        })
        .addSink((v) => void out.push(v));
    });
    return out;
  }

  test('words that are properties of Object are words like others', async () => {
    const words = 'constructor __proto__ toString constructor hasOwnProperty __proto__ valueOf a'.split(' ');
    const last = new Map(await counts(words));
    expect([...last]).toEqual([
      ['constructor', 2],
      ['__proto__', 2],
      ['toString', 1],
      ['hasOwnProperty', 1],
      ['valueOf', 1],
      ['a', 1],
    ]);
  });

  test('any text is a key of its own', async () => {
    const texts = [
      '',
      ' ',
      '\0',
      'a\0b',
      'a',
      '\u00e9',
      'e\u0301',
      '😀',
      '\ud83d',
      '\ude00',
      'a\r\nb',
      'שלום',
      '中文',
      '0',
    ];
    expect(await counts(texts)).toEqual(texts.map((text) => [text, 1]));
    expect(await counts([...texts, ...texts])).toEqual([
      ...texts.map((text) => [text, 1]),
      ...texts.map((text) => [text, 2]),
    ]);
  });

  test('values of different types differ', async () => {
    const keys = [1, '1', 1n, true, 'true', [1], ['1'], { a: 1 }, { a: '1' }, [], {}, '', 0, false];
    expect((await counts<unknown>(keys)).map(([, count]) => count)).toEqual(keys.map(() => 1));
  });

  test('equal values are one key, whatever object they are in', async () => {
    const pairs: [unknown, unknown][] = [
      [
        { a: 1, b: [2] },
        { b: [2], a: 1 },
      ],
      [-0, 0],
      [1, 1.0],
      [Uint8Array.of(0xc3, 0x28, 0, 0xff), Buffer.from([0xc3, 0x28, 0, 0xff])],
      [{ a: null }, Object.assign(Object.create(null) as object, { a: null })],
    ];
    for (const pair of pairs) expect((await counts<unknown>(pair)).map(([, count]) => count)).toEqual([1, 2]);
  });

  class Customer {}
  const cycle: unknown[] = [];
  cycle.push(cycle);

  test.each<[string, unknown]>([
    ['undefined', undefined],
    ['null', null],
    ['NaN', Number.NaN],
    ['Infinity', Infinity],
    ['a function', () => 1],
    ['a symbol', Symbol('s')],
    ['a date', new Date(0)],
    ['an instance of a class', new Customer()],
    ['a promise', Promise.resolve(1)],
    ['a cycle', cycle],
    ['an array with undefined', [undefined]],
    ['an object with a date', { at: new Date(0) }],
  ])('%s is no key', async (_, key) => {
    const running = run(mode, (env) =>
      env
        .fromElements(1)
        .keyBy(() => key, { name: 'by customer' })
        .process(() => undefined)
        .addSink(() => undefined),
    );
    await expect(running).rejects.toEqual(coded('RS_INVALID_KEY'));
    await expect(running).rejects.toThrow("keyBy 'by customer'");
  });
});

describe.each(MODES)('values in state, %s', (mode) => {
  const STORED = valueState<unknown>('stored');

  /** What `inspect` says for each value, before and after it was stored. */
  function stored(
    env: StreamEnvironment,
    values: readonly unknown[],
    inspect: (before: unknown, after: unknown, error: unknown) => void,
  ): void {
    const keyed: KeyedStream<string, unknown> = env.fromCollection(values).keyBy(() => 'k');
    const state = keyed.getState(STORED);
    keyed
      .process((_key, value) => {
        const before = state.value();
        try {
          state.update(value);
          inspect(before, state.value(), undefined);
        } catch (error) {
          inspect(before, state.value(), error);
        }
      })
      .addSink(() => undefined);
  }

  test.each<[string, unknown]>([
    [
      'types that JSON changes',
      {
        d: new Date(0),
        u: undefined,
        n: Number.NaN,
        i: Infinity,
        z: -0,
        b: 10n,
        m: new Map([[1, 2]]),
        s: new Set([1]),
      },
    ],
    ['bytes', Uint8Array.of(0xc3, 0x28, 0, 0xff)],
    ['text', 'NUL \0, emoji 😀, half an emoji \ud83d, CRLF \r\n, שלום, 中文'],
    ['nested', { a: [{ b: [null, { c: 1n }] }] }],
  ])('%s are kept', async (_, value) => {
    const seen: unknown[] = [];
    await run(mode, (env) => stored(env, [value], (_before, after) => void seen.push(after)));
    expect(seen).toStrictEqual([value]);
  });

  const cycle: Record<string, unknown> = {};
  cycle['self'] = cycle;

  test.each<[string, unknown]>([
    ['a function', () => 1],
    ['a symbol', Symbol('s')],
    ['a cycle', cycle],
    ['a function inside', { f: () => 1 }],
    ['an instance of a class', new (class Order {})()],
    ['a promise', Promise.resolve(1)],
  ])('%s is refused at the call, and nothing is stored', async (_, value) => {
    const seen: unknown[] = [];
    await run(mode, (env) =>
      stored(env, ['first', value, 'next'], (...what) => {
        seen.push(what);
      }),
    );
    expect(seen).toEqual([
      [undefined, 'first', undefined],
      ['first', 'first', coded('RS_INVALID_VALUE')],
      ['first', 'next', undefined],
    ]);
  });

  test('a refusal that nobody catches fails the run and names the state', async () => {
    const running = run(mode, (env) => {
      const keyed = env.fromElements(1).keyBy(() => 'k');
      const state = keyed.getState(STORED);
      keyed.process(() => state.update(() => 1)).addSink(() => undefined);
    });
    await expect(running).rejects.toEqual(coded('RS_INVALID_VALUE'));
    await expect(running).rejects.toThrow("state 'stored'");
  });
});

import { describe, expect, test } from '@jest/globals';
import type { DataStream, StreamEnvironment } from '@rs/core';
import { MODES, run } from '../test-support/run.ts';

/** Each record as `value@timestamp`. */
function stamped<T>(stream: DataStream<T>): DataStream<string> {
  return stream
    .keyBy(() => 0)
    .process<string>((_key, value, ctx, out) => out.collect(`${String(value)}@${ctx.currentEventTime()}`));
}

describe.each(MODES)('operators without state, %s', (mode) => {
  async function results<T>(define: (env: StreamEnvironment) => DataStream<T>): Promise<T[]> {
    const out: T[] = [];
    await run(mode, (env) => define(env).addSink((value) => void out.push(value)));
    return out;
  }

  test('map gives one result per record and keeps the timestamp', async () => {
    const out = await results((env) => stamped(env.fromElements('a', 'b').map((v) => v.toUpperCase())));
    expect(out).toEqual(['A@0', 'B@1']);
  });

  test('filter asks its predicate once per record', async () => {
    const asked: number[] = [];
    const out = await results((env) =>
      stamped(
        env.fromElements(1, 2, 3).filter((v) => {
          asked.push(v);
          return v !== 2;
        }),
      ),
    );
    expect(out).toEqual(['1@0', '3@2']);
    expect(asked).toEqual([1, 2, 3]);
  });

  test('flatMap gives any number of results, each with the timestamp of the record', async () => {
    const out = await results((env) =>
      stamped(env.fromElements('a b', '', 'c').flatMap((v) => v.split(' '))),
    );
    expect(out).toEqual(['a@0', 'b@0', '@1', 'c@2']);
  });

  test('flatMap takes null and undefined for nothing, and any iterable', async () => {
    const byKind: Readonly<Record<string, Iterable<string> | null | undefined>> = {
      null: null,
      undefined: undefined,
      set: new Set(['x', 'y']),
      generator: (function* () {
        yield 'z';
      })(),
    };
    const out = await results((env) =>
      env.fromElements(...Object.keys(byKind)).flatMap((kind) => byKind[kind]),
    );
    expect(out).toEqual(['x', 'y', 'z']);
  });

  test('two chains off one stream both get all of its records, in order of declaration', async () => {
    const out: string[] = [];
    await run(mode, (env) => {
      const numbers = env.fromElements(1, 2);
      numbers.map((v) => v * 10).addSink((v) => void out.push(`a${v}`));
      numbers.map((v) => v * 100).addSink((v) => void out.push(`b${v}`));
    });
    const expected = mode === 'eager' ? ['a10', 'a20', 'b100', 'b200'] : ['a10', 'b100', 'a20', 'b200'];
    expect(out).toEqual(expected);
  });

  test('union takes turns, one record of each stream', async () => {
    const out = await results((env) =>
      env.fromElements('a1', 'a2', 'a3').union(env.fromElements('b1'), env.fromElements('c1', 'c2')),
    );
    expect([...out].sort()).toEqual(['a1', 'a2', 'a3', 'b1', 'c1', 'c2']);
    if (mode === 'eager') expect(out).toEqual(['a1', 'b1', 'c1', 'a2', 'c2', 'a3']);
  });

  test('a stream can be joined with itself', async () => {
    const out = await results((env) => {
      const numbers = env.fromElements(1, 2);
      return numbers.union(numbers.map((v) => -v));
    });
    // What was declared first is served first, and map was declared before the union.
    expect(out).toEqual([-1, 1, -2, 2]);
  });
});

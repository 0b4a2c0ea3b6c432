import { describe, expect, test } from '@jest/globals';
import type { DataStream } from '@rs/core';
import { StreamExecutionEnvironment } from '../index.ts';
import { coded } from '../test-support/coded.ts';
import { MODES, run } from '../test-support/run.ts';

const newEnv = () => StreamExecutionEnvironment.getExecutionEnvironment();

/** Each record as `value@timestamp`. */
function stamped<T>(stream: DataStream<T>): DataStream<string> {
  return stream
    .keyBy(() => 0)
    .process<string>((_key, value, ctx, out) => out.collect(`${String(value)}@${ctx.currentEventTime()}`));
}

describe.each(MODES)('collections, %s', (mode) => {
  test.each<[string, Iterable<string>]>([
    ['an array', ['a', 'b', 'c']],
    ['a set', new Set(['a', 'b', 'c'])],
    ['a text', 'abc'],
    ['a generator', (function* () { yield* 'abc'; })()], // prettier-ignore
  ])('%s gives its elements with the timestamps 0, 1, 2', async (_, elements) => {
    const seen: string[] = [];
    await run(mode, (env) => stamped(env.fromCollection(elements)).addSink((v) => void seen.push(v)));
    expect(seen).toEqual(['a@0', 'b@1', 'c@2']);
  });

  test('fromElements gives its arguments, whatever they are', async () => {
    const seen: unknown[] = [];
    const values = [undefined, null, 0, '', [1], Number.NaN];
    await run(mode, (env) => env.fromElements(...values).addSink((v) => void seen.push(v)));
    expect(seen).toEqual(values);
  });

  test('an empty collection runs, with an open and a close', async () => {
    const seen: string[] = [];
    await run(mode, (env) =>
      env.fromCollection([]).addSink({
        open: () => void seen.push('open'),
        invoke: () => void seen.push('invoke'),
        close: () => void seen.push('close'),
      }),
    );
    expect(seen).toEqual(['open', 'close']);
  });

  test('an error of the iterator is that of the source', async () => {
    const cause = new Error('disk');
    const elements = {
      *[Symbol.iterator]() {
        yield 1;
        throw cause;
      },
    };
    const seen: number[] = [];
    const running = run(mode, (env) => env.fromCollection(elements).addSink((v) => void seen.push(v)));
    await expect(running).rejects.toEqual(coded('RS_SOURCE_FAILED', { cause }));
    await expect(running).rejects.toThrow("source 'collection' failed: disk");
    expect(seen).toEqual([1]);
  });

  test.each([undefined, null, 5])('an iterator that gives %p is broken', async (step) => {
    const broken = { [Symbol.iterator]: () => ({ next: () => step }) };
    const running = run(mode, (env) => env.fromCollection(broken as never).addSink(() => undefined));
    await expect(running).rejects.toEqual(coded('RS_SOURCE_FAILED'));
  });

  test('an iterator is closed when the run fails before its end', async () => {
    let closed = 0;
    const elements = {
      *[Symbol.iterator]() {
        try {
          yield 1;
          yield 2;
        } finally {
          closed += 1;
        }
      },
    };
    const running = run(mode, (env) =>
      env.fromCollection(elements).addSink(() => {
        throw new Error('full');
      }),
    );
    await expect(running).rejects.toEqual(coded('RS_SINK_FAILED'));
    expect(closed).toBe(1);
  });
});

describe('collections of an eager environment', () => {
  test('later changes of an array have no effect', () => {
    const array = [1, 2];
    const stream = newEnv().fromCollection(array);
    const elements = newEnv().fromElements(...array);
    array.push(3);
    expect([...stream]).toEqual([1, 2]);
    expect([...elements]).toEqual([1, 2]);
  });

  test('each run begins anew, also its timestamps', () => {
    const stream = stamped(newEnv().fromCollection(new Set(['a', 'b'])));
    expect([...stream]).toEqual(['a@0', 'b@1']);
    expect([...stream]).toEqual(['a@0', 'b@1']);
  });

  test('an iterator that can be read only once is refused for a second run', () => {
    function* letters(): Generator<string> {
      yield* 'ab';
    }
    const seen: string[] = [];
    const stream = newEnv().fromCollection(letters());
    stream.addSink((v) => void seen.push(v));
    expect(() => stream.addSink((v) => void seen.push(v))).toThrow(coded('RS_SOURCE_FAILED'));
    expect(seen).toEqual(['a', 'b']);
  });

  test.each([undefined, null, 5, {}, (async function* () {})()])('%p is no collection', (value) => {
    expect(() => newEnv().fromCollection(value as Iterable<unknown>)).toThrow(coded('RS_INVALID_ARGUMENT'));
  });

  test('an infinite collection can be iterated', () => {
    const naturals = {
      *[Symbol.iterator]() {
        for (let i = 0; ; i++) yield i;
      },
    };
    const squares: number[] = [];
    for (const square of newEnv()
      .fromCollection(naturals)
      .map((n) => n * n)) {
      squares.push(square);
      if (squares.length === 4) break;
    }
    expect(squares).toEqual([0, 1, 4, 9]);
  });
});

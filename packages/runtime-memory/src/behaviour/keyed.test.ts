import { describe, expect, test } from '@jest/globals';
import {
  type DataStream,
  listState,
  mapState,
  outputTag,
  setState,
  type StreamEnvironment,
  type StreamSource,
  valueState,
  type ValueState,
} from '@rs/core';
import { coded } from '../test-support/coded.ts';
import { ManualTime } from '../test-support/manual-time.ts';
import { MODES, run } from '../test-support/run.ts';

const COUNT = valueState('count', { default: () => 0 });
const parity = (v: number) => (v % 2 === 0 ? 'even' : 'odd');

describe.each(MODES)('keyed streams, %s', (mode) => {
  async function results<T>(define: (env: StreamEnvironment) => DataStream<T>): Promise<T[]> {
    const out: T[] = [];
    await run(mode, (env) => define(env).addSink((value) => void out.push(value)));
    return out;
  }

  describe('state', () => {
    test('a handle of the keyed stream is the state of the current key', async () => {
      const out = await results((env) => {
        const keyed = env.fromElements('a', 'b', 'a').keyBy((v) => v);
        const count = keyed.getState(COUNT);
        return keyed.process<string>((key, _value, _ctx, collector) => {
          const next = count.value() + 1;
          count.update(next);
          collector.collect(`${key}:${next}`);
        });
      });
      expect(out).toEqual(['a:1', 'b:1', 'a:2']);
    });

    test('all kinds of state, declared in open', async () => {
      const out = await results((env) =>
        env
          .fromElements('x', 'y', 'x')
          .keyBy(() => 'k')
          .process<unknown>({
            processElement(_key, value, ctx, collector) {
              const list = ctx.state(LIST);
              const set = ctx.state(SET);
              const map = ctx.state(MAP);
              list.add(value);
              const isNew = set.add(value);
              map.put(value, (map.get(value) ?? 0) + 1);
              collector.collect([list.get(), isNew, [...map.entries()]]);
            },
            open(ctx) {
              for (const descriptor of [LIST, SET, MAP]) ctx.state(descriptor);
            },
          }),
      );
      expect(out).toEqual([
        [['x'], true, [['x', 1]]],
        [
          ['x', 'y'],
          true,
          [
            ['x', 1],
            ['y', 1],
          ],
        ],
        [
          ['x', 'y', 'x'],
          false,
          [
            ['x', 2],
            ['y', 1],
          ],
        ],
      ]);
    });

    test('a default is made anew for each key, so that nothing is shared', async () => {
      const seen = valueState<string[]>('seen', { default: () => [] });
      const out = await results((env) => {
        const keyed = env.fromElements('a1', 'b1', 'a2').keyBy((v) => v[0]);
        const state = keyed.getState(seen);
        return keyed.process<string>((_key, value, _ctx, collector) => {
          const values = state.value();
          values.push(value);
          state.update(values);
          collector.collect(values.join());
        });
      });
      expect(out).toEqual(['a1', 'b1', 'a1,a2']);
    });

    test('undefined and null clear a value', async () => {
      const out = await results((env) => {
        const keyed = env.fromElements(5, undefined, 6, null).keyBy(() => 'k');
        const state = keyed.getState(valueState<number>('last'));
        return keyed.process<unknown>((_key, value, _ctx, collector) => {
          state.update(value);
          collector.collect(state.value());
        });
      });
      expect(out).toEqual([5, undefined, 6, undefined]);
    });

    test('a state that was not declared is refused', async () => {
      const running = results((env) =>
        env
          .fromElements(1)
          .keyBy(() => 'k')
          .process((_key, _value, ctx) => ctx.state(COUNT).update(1)),
      );
      await expect(running).rejects.toEqual(coded('RS_STATE_UNDECLARED'));
    });

    test('a handle outside of a callback is refused', async () => {
      const handles: ValueState<number>[] = [];
      await results((env) => {
        const keyed = env.fromElements(1).keyBy(() => 'k');
        handles.push(keyed.getState(COUNT));
        return keyed.process(() => undefined);
      });
      expect(() => handles[0]?.value()).toThrow(coded('RS_STATE_UNBOUND'));
    });

    test('a handle on another keyed stream is refused', async () => {
      const running = results((env) => {
        const numbers = env.fromElements(1);
        const count = numbers.keyBy(() => 'k').getState(COUNT);
        return numbers.keyBy(() => 'k').process(() => count.update(1));
      });
      await expect(running).rejects.toEqual(coded('RS_STATE_UNBOUND'));
    });

    test.each(['records', 'clock'] as const)(
      "a time to live is one of processing time, '%s'",
      async (processingTime) => {
        const time = new ManualTime(1_000);
        const out: number[] = [];
        const pauses = [0, 99, 99, 100];
        const source: StreamSource<number> = {
          run: (ctx) => {
            let at = 0;
            for (const pause of pauses) {
              time.set(time.now() + pause);
              void ctx.collectWithTimestamp(0, processingTime === 'records' ? (at += pause) : 0);
            }
          },
        };
        await run(
          mode,
          (env) => {
            const keyed = env.addSource(source).keyBy(() => 'k');
            const state = keyed.getState(valueState('n', { default: () => 0, ttl: 100 }));
            keyed
              .process<number>((_key, _value, _ctx, collector) => {
                collector.collect(state.value());
                state.update(state.value() + 1);
              })
              .addSink((v) => void out.push(v));
          },
          { processingTime, clock: time, scheduler: time },
        );
        expect(out).toEqual([0, 1, 2, 0]);
      },
    );
  });

  describe('map', () => {
    test('carries the key over, and asks the selector once per record', async () => {
      let asked = 0;
      const out = await results((env) =>
        env
          .fromElements(1, 2, 3)
          .keyBy((v) => {
            asked += 1;
            return parity(v);
          })
          .map((v) => v * 10)
          .process<string>((key, value, _ctx, collector) => collector.collect(`${key}:${value}`)),
      );
      expect(out).toEqual(['odd:10', 'even:20', 'odd:30']);
      expect(asked).toBe(3);
    });

    test('×10, then a rolling reduce', async () => {
      const out = await results((env) =>
        env
          .fromElements(1, 2, 4)
          .keyBy(parity)
          .map((v) => v * 10)
          .reduce((a, b) => a + b),
      );
      expect(out).toEqual([10, 20, 60]);
    });

    test('×10, one key per record', async () => {
      const out = await results((env) =>
        env
          .fromElements(1, 2, 4)
          .keyBy((v) => v)
          .map((v) => v * 10)
          .reduce((a, b) => a + b),
      );
      expect(out).toEqual([10, 20, 40]);
    });

    test('can use the state of its key, and never that of the record before', async () => {
      const out = await results((env) => {
        const keyed = env.fromElements('a', 'b', 'a').keyBy((v) => v);
        const count = keyed.getState(COUNT);
        const numbered = keyed
          .map((v) => {
            count.update(count.value() + 1);
            return v;
          })
          .map((v) => `${v}${count.value()}`);
        return numbered.process<string>((key, value, _ctx, collector) =>
          collector.collect(`${key}:${value}`),
        );
      });
      expect(out).toEqual(['a:a1', 'b:b1', 'a:a2']);
    });
  });

  describe('rolling operators', () => {
    test('reduce emits for every record, the first of a key as it is', async () => {
      const out = await results((env) =>
        env
          .fromElements(1, 2, 3)
          .keyBy(parity)
          .reduce((a, b) => a + b),
      );
      expect(out).toEqual([1, 2, 4]);
    });

    test('sum, min and max', async () => {
      const numbers = [3, 1, 2];
      expect(await results((env) => env.fromCollection(numbers).keyBy(() => 0).sum())).toEqual([3, 4, 6]); // prettier-ignore
      expect(await results((env) => env.fromCollection(numbers).keyBy(() => 0).min())).toEqual([3, 1, 1]); // prettier-ignore
      expect(await results((env) => env.fromCollection(numbers).keyBy(() => 0).max())).toEqual([3, 3, 3]); // prettier-ignore
    });

    test('a field that is null or undefined adds nothing', async () => {
      const orders = [{ n: null }, { n: 2 }, { n: undefined }, { n: 3 }];
      const out = await results((env) => env.fromCollection(orders).keyBy(() => 0).sum((order) => order.n)); // prettier-ignore
      expect(out).toEqual([0, 2, 2, 5]);
    });

    test('bigints are added exactly, and not mixed with numbers', async () => {
      const big = [2n ** 64n, 1n];
      const out = await results((env) => env.fromCollection(big).keyBy(() => 0).sum()); // prettier-ignore
      expect(out).toEqual([2n ** 64n, 2n ** 64n + 1n]);
      const mixed = results((env) => env.fromElements<number | bigint>(1, 1n).keyBy(() => 0).sum()); // prettier-ignore
      await expect(mixed).rejects.toEqual(coded('RS_INVALID_VALUE'));
    });

    test.each(['1', null, undefined, {}, true])('%p is no number', async (value) => {
      const running = results((env) => env.fromElements(value as number).keyBy(() => 0).sum()); // prettier-ignore
      await expect(running).rejects.toEqual(coded('RS_INVALID_VALUE'));
    });

    test('a reduce that returns nothing or a promise is refused', async () => {
      const nothing = results((env) =>
        env
          .fromElements(1, 2)
          .keyBy(() => 0)
          .reduce(() => undefined as never),
      );
      await expect(nothing).rejects.toEqual(coded('RS_INVALID_VALUE'));
      const promise = results((env) =>
        env
          .fromElements(1, 2)
          .keyBy(() => 0)
          .reduce((() => Promise.resolve(1)) as never),
      );
      await expect(promise).rejects.toEqual(coded('RS_ASYNC_NOT_ALLOWED'));
    });
  });

  describe('side outputs', () => {
    test('get their own records, and the main output its own', async () => {
      const rejected = outputTag<string>('rejected');
      const out: string[] = [];
      await run('async', (env) => {
        const main = env
          .fromElements(1, -2, 3)
          .keyBy(() => 'k')
          .process<number>((_key, value, ctx, collector) => {
            if (value < 0) ctx.output(rejected, `bad ${value}`);
            else collector.collect(value);
          });
        main.addSink((v) => void out.push(`good ${v}`));
        main.getSideOutput(rejected).addSink((v) => void out.push(v));
      });
      expect(out).toEqual(['good 1', 'bad -2', 'good 3']);
    });

    test('one that nobody reads goes nowhere', async () => {
      const out = await results((env) =>
        env
          .fromElements(1)
          .keyBy(() => 'k')
          .process<number>((_key, value, ctx, collector) => {
            ctx.output(outputTag<number>('unread'), value);
            collector.collect(value);
          }),
      );
      expect(out).toEqual([1]);
    });
  });
});

const LIST = listState<string>('list');
const SET = setState<string>('set');
const MAP = mapState<string, number>('map');

import { describe, expect, test } from '@jest/globals';
import {
  type Collector,
  type DataStream,
  type KeyedProcessFunction,
  type KeyedStream,
  type OpenContext,
  type StreamSink,
  valueState,
  type ValueState,
} from '@rs/core';
import { AscendingTimestampWatermarkGenerator } from '@rs/watermark';
import { TumblingWindow } from '@rs/window';
import { StreamExecutionEnvironment } from './index.ts';
import { coded, thrownBy } from './test-support/coded.ts';
import { RecordingLogger } from './test-support/recording-logger.ts';

const newEnv = () => StreamExecutionEnvironment.getExecutionEnvironment();

describe('attaching a sink', () => {
  test('runs the pipeline now', () => {
    const out: string[] = [];
    newEnv()
      .fromElements('a b', 'c', 'd e')
      .flatMap((line) => line.split(' '))
      .filter((word) => word !== 'c')
      .map((word) => word.toUpperCase())
      .addSink((word) => void out.push(word));
    expect(out).toEqual(['A', 'B', 'D', 'E']);
  });

  test('returns the same stream; each sink is a run of its own', () => {
    let mapped = 0;
    const out: string[] = [];
    const stream = newEnv()
      .fromElements(1, 2)
      .map((v) => {
        mapped += 1;
        return v;
      });
    expect(stream.addSink((v) => void out.push(`a${v}`)).addSink((v) => void out.push(`b${v}`))).toBe(stream);
    expect(out).toEqual(['a1', 'a2', 'b1', 'b2']);
    expect(mapped).toBe(4);
  });

  test('opens the sink once before the first record and closes it once after the last', () => {
    const log: string[] = [];
    newEnv()
      .fromElements(1, 2)
      .addSink({
        open: () => void log.push('open'),
        invoke: (v) => void log.push(`invoke ${v}`),
        close: () => void log.push('close'),
      });
    expect(log).toEqual(['open', 'invoke 1', 'invoke 2', 'close']);
  });

  test('a sink keeps its own this', () => {
    class Collected implements StreamSink<number> {
      readonly #values: number[] = [];
      invoke(value: number): void {
        this.#values.push(value);
      }
      values(): readonly number[] {
        return this.#values;
      }
    }
    const sink = new Collected();
    newEnv().fromElements(1, 2).addSink(sink);
    expect(sink.values()).toEqual([1, 2]);
  });

  test('a sink that fails to open is closed and gets nothing; the source is never opened', () => {
    const log: string[] = [];
    const cause = new Error('no space');
    const attach = () =>
      newEnv()
        .addSource<number>({ open: () => void log.push('source open'), run: () => undefined })
        .addSink(
          {
            open: () => {
              throw cause;
            },
            invoke: () => void log.push('invoke'),
            close: () => void log.push('close'),
          },
          { name: 'file' },
        );
    expect(thrownBy(attach, 'RS_SINK_FAILED')).toMatchObject({
      cause,
      message: "sink 'file' failed: no space",
    });
    expect(log).toEqual(['close']);
  });

  test('a sink is closed after a failure, and an error of close does not hide it', () => {
    const logger = new RecordingLogger();
    const log: string[] = [];
    const attach = () =>
      StreamExecutionEnvironment.getExecutionEnvironment({ logger })
        .fromElements(1)
        .addSink({
          invoke: () => {
            throw new Error('full');
          },
          close: () => {
            log.push('close');
            throw new Error('worse');
          },
        });
    expect(attach).toThrow('sink failed: full');
    expect(log).toEqual(['close']);
    expect(logger.lines()).toEqual(['warn sink failed to close']);
  });

  test.each([undefined, null, 5, {}, { invoke: 5 }])('%p is no sink', (sink) => {
    expect(() =>
      newEnv()
        .fromElements(1)
        .addSink(sink as StreamSink<number>),
    ).toThrow(coded('RS_INVALID_ARGUMENT'));
  });
});

describe('print', () => {
  function printed(print: (stream: DataStream<unknown>) => void, ...values: unknown[]) {
    const logger = new RecordingLogger();
    print(StreamExecutionEnvironment.getExecutionEnvironment({ logger }).fromElements(...values));
    return logger;
  }

  test('writes to the logger at info, with the prefix, and runs now', () => {
    const logger = printed((stream) => stream.print('> '), 'a', 'b');
    expect(logger.entries).toEqual([
      { level: 'info', facts: { component: 'print' }, message: '> a' },
      { level: 'info', facts: { component: 'print' }, message: '> b' },
    ]);
  });

  test.each([[undefined], [null], ['']])('the prefix %p is none', (prefix) => {
    expect(printed((stream) => stream.print(prefix), 'a').lines()).toEqual(['info a']);
  });

  test('shows values as the console does, so that nothing is lost', () => {
    const cycle: { self?: unknown } = {};
    cycle.self = cycle;
    const values = [{ a: [1] }, 5, null, undefined, 10n, NaN, -0, new Map([[1, 2]]), cycle];
    const logger = printed((stream) => stream.print(), ...values);
    expect(logger.lines()).toEqual([
      'info { a: [ 1 ] }',
      'info 5',
      'info null',
      'info undefined',
      'info 10n',
      'info NaN',
      'info -0',
      'info Map(1) { 1 => 2 }',
      'info <ref *1> { self: [Circular *1] }',
    ]);
  });

  test('returns the stream, so that a chain goes on', () => {
    const out: unknown[] = [];
    printed((stream) => stream.print().addSink((v) => void out.push(v)), 'a');
    expect(out).toEqual(['a']);
  });
});

describe('iterating a stream', () => {
  test('gives its records', () => {
    const stream = newEnv()
      .fromElements(1, 2, 3)
      .map((v) => v * 2);
    expect([...stream]).toEqual([2, 4, 6]);
    expect(Math.max(...stream)).toBe(6);
  });

  test('runs as far as it is read, and no further', () => {
    const log: string[] = [];
    const stream = newEnv()
      .fromElements(1, 2, 3)
      .map((v) => {
        log.push(`map ${v}`);
        return v;
      });
    for (const v of stream) {
      log.push(`got ${v}`);
      if (v === 2) break;
    }
    expect(log).toEqual(['map 1', 'got 1', 'map 2', 'got 2']);
  });

  test('leaving it closes the source', () => {
    const log: string[] = [];
    const source = {
      run: (ctx: { collect(v: number): unknown }) => void ctx.collect(1),
      close: () => void log.push('close'),
    };
    for (const v of newEnv().addSource(source)) {
      log.push(`got ${String(v)}`);
      break;
    }
    expect(log).toEqual(['got 1', 'close']);
  });

  test('gives the results before a failure, then throws it', () => {
    const got: number[] = [];
    const stream = newEnv()
      .fromElements(1, 2, 3)
      .map((v) => {
        if (v === 3) throw new Error('three');
        return v;
      });
    const iterate = () => {
      for (const v of stream) got.push(v);
    };
    expect(iterate).toThrow(coded('RS_USER_FUNCTION_FAILED'));
    expect(got).toEqual([1, 2]);
  });

  test('gives what the end of the input fires', () => {
    const stream = newEnv()
      .fromElements(1, 2)
      .keyBy(() => 'k')
      .window(TumblingWindow.of(1000))
      .count();
    expect([...stream]).toEqual([2]);
  });

  test('is possible in an environment that is not eager', () => {
    const env = StreamExecutionEnvironment.getExecutionEnvironment({ eager: false });
    expect([...env.fromElements(1, 2)]).toEqual([1, 2]);
  });

  test('two iterations of one stream can be interleaved', () => {
    const sums = newEnv()
      .fromElements(1, 2, 3)
      .keyBy(() => 'k')
      .sum();
    const [a, b] = [sums[Symbol.iterator](), sums[Symbol.iterator]()];
    expect([a.next(), b.next(), a.next(), b.next()].map(({ value }) => value as unknown)).toEqual([
      1, 1, 3, 3,
    ]);
  });
});

describe('every eager run starts anew', () => {
  const COUNT = valueState('count', { default: () => 0 });

  function counted(keyed: KeyedStream<string, string>): DataStream<string> {
    const count = keyed.getState(COUNT);
    return keyed.process<string>((key, _value, _ctx, out) => {
      count.update(count.value() + 1);
      out.collect(`${key}:${count.value()}`);
    });
  }

  test('two sinks on one process() see identical results', () => {
    const results = counted(
      newEnv()
        .fromElements('a', 'b', 'a')
        .keyBy((v) => v),
    );
    const [first, second]: string[][] = [[], []];
    results.addSink((v) => void first?.push(v)).addSink((v) => void second?.push(v));
    expect(first).toEqual(['a:1', 'b:1', 'a:2']);
    expect(second).toEqual(first);
  });

  test('a function that makes its descriptors in open can serve every run', () => {
    class Counting implements KeyedProcessFunction<string, string, string> {
      #count: ValueState<number> | undefined;

      open(ctx: OpenContext): void {
        this.#count = ctx.state(valueState('count', { default: () => 0 }));
      }

      processElement(key: string, _value: string, _ctx: unknown, out: Collector<string>): void {
        this.#count?.update(this.#count.value() + 1);
        out.collect(`${key}:${this.#count?.value()}`);
      }
    }
    const results = newEnv()
      .fromElements('a', 'b', 'a')
      .keyBy((v) => v)
      .process(new Counting());
    expect([...results]).toEqual(['a:1', 'b:1', 'a:2']);
    expect([...results]).toEqual(['a:1', 'b:1', 'a:2']);
  });

  test('rolling operators, windows and timers have nothing left of an earlier run', () => {
    const keyed = newEnv()
      .fromElements(1, 2, 3)
      .keyBy(() => 'k');
    const timers = keyed.process<string>({
      processElement: (_key, _value, ctx) => ctx.registerEventTimeTimer(100),
      onEventTime: (time, _key, _ctx, out) => out.collect(`t${time}`),
    });
    for (let round = 0; round < 2; round++) {
      expect([...keyed.sum()]).toEqual([1, 3, 6]);
      expect([...keyed.window(TumblingWindow.of(2)).count()]).toEqual([2, 1]);
      expect([...timers]).toEqual(['t100']);
    }
  });

  test('a watermark generator of its own', () => {
    const stream = newEnv()
      .fromElements(10, 20)
      .assignTimestampsAndWatermarks((v) => v, new AscendingTimestampWatermarkGenerator<number>())
      .keyBy(() => 'k')
      .process<number>((_key, _value, ctx, out) => out.collect(ctx.currentWatermark()));
    expect([...stream]).toEqual([9, 19]);
    expect([...stream]).toEqual([9, 19]);
  });

  test('a generator that cannot be made anew is refused for a second run', () => {
    const generator = { onEvent: () => undefined, onPeriodicEmit: () => undefined };
    const stream = newEnv().fromElements(1).assignTimestampsAndWatermarks(generator);
    expect([...stream]).toEqual([1]);
    expect(() => [...stream]).toThrow(coded('RS_GENERATOR_REUSED'));
  });

  test('a sink may attach another one to the same stream while it runs', () => {
    const results = counted(
      newEnv()
        .fromElements('a', 'a')
        .keyBy((v) => v),
    );
    const out: string[] = [];
    results.addSink((outer) => {
      out.push(outer);
      results.addSink((inner) => void out.push(`inner ${inner}`));
    });
    expect(out).toEqual(['a:1', 'inner a:1', 'inner a:2', 'a:2', 'inner a:1', 'inner a:2']);
  });
});

test('a failed run leaves the stream usable', () => {
  let broken = true;
  const stream = newEnv()
    .fromElements(1, 2)
    .map((v) => {
      if (broken) throw new Error('broken');
      return v;
    });
  expect(() => [...stream]).toThrow('broken');
  broken = false;
  expect([...stream]).toEqual([1, 2]);
});

import { describe, expect, test } from '@jest/globals';
import { type DataStream, defineJob, type Duration, type IdleMode, type StreamEnvironment } from '@rs/core';
import { WatermarkStrategy } from '@rs/watermark';
import { TumblingWindow } from '@rs/window';
import { StreamExecutionEnvironment } from './index.ts';
import { Deferred } from './test-support/deferred.ts';
import { LiveSource } from './test-support/live-source.ts';
import { ManualTime } from './test-support/manual-time.ts';
import { settle } from './test-support/settle.ts';

/** Watermark = newest − 1; idle after `timeout`. */
function strategy(timeout?: Duration, mode?: IdleMode): WatermarkStrategy<string> {
  const ascending = WatermarkStrategy.forBoundedOutOfOrderness<string>(0);
  if (timeout === undefined) return ascending;
  return ascending.withIdleness(timeout, mode === undefined ? {} : { mode });
}

/** Counts per second, as `start: count`. */
function perSecond(stream: DataStream<string>): DataStream<string> {
  return stream
    .keyBy(() => 'k')
    .window(TumblingWindow.of('1s'))
    .apply<string>((_key, { start }, elements, out) => out.collect(`${start}: ${elements.length}`));
}

/** A job on the clock of the test, fed by the test. */
class Job {
  readonly time = new ManualTime(1_000_000);
  readonly #env = StreamExecutionEnvironment.getExecutionEnvironment({
    clock: this.time,
    scheduler: this.time,
  });
  readonly #out: string[] = [];
  #running: Promise<unknown> = Promise.resolve();

  async start(define: (env: StreamEnvironment) => DataStream<string>): Promise<void> {
    const job = defineJob((env) => define(env).addSink((v) => void this.#out.push(v)));
    this.#running = this.#env.executeAsync(job);
    await settle();
  }

  /** What came since it was asked last. */
  output(): string[] {
    return this.#out.splice(0);
  }

  late(): number {
    return this.#env.metrics().lateRecords;
  }

  async end(...sources: readonly LiveSource<string>[]): Promise<string[]> {
    for (const source of sources) source.end();
    await this.#running;
    expect(this.time.pending).toBe(0);
    return this.output();
  }
}

describe('an input that falls silent', () => {
  test('without an idle timeout nothing is emitted, and nothing is lost', async () => {
    const job = new Job();
    const source = new LiveSource<string>();
    await job.start((env) => perSecond(env.addSource(source).assignTimestampsAndWatermarks(strategy())));
    void source.send('a', 100);
    void source.send('b', 200);
    await job.time.advance(5_000);
    expect(job.output()).toEqual([]);
    void source.send('c', 2_500);
    await settle();
    expect(job.output()).toEqual(['0: 2']);
    expect(await job.end(source)).toEqual(['2000: 1']);
  });

  test.each<IdleMode>(['advance', 'flush'])(
    'mode %s fires the last window after the timeout, once',
    async (mode) => {
      const job = new Job();
      const source = new LiveSource<string>();
      await job.start((env) =>
        perSecond(env.addSource(source).assignTimestampsAndWatermarks(strategy('1s', mode))),
      );
      void source.send('a', 100);
      void source.send('b', 200);
      await job.time.advance(999);
      expect(job.output()).toEqual([]);
      await job.time.advance(101);
      expect(job.output()).toEqual(['0: 2']);
      await job.time.advance(60_000);
      expect(job.output()).toEqual([]);
      expect(await job.end(source)).toEqual([]);
      expect(job.late()).toBe(0);
    },
  );

  test('in a bounded run it fires at the end of the input', async () => {
    const job = new Job();
    const source = new LiveSource<string>();
    await job.start((env) => perSecond(env.addSource(source).assignTimestampsAndWatermarks(strategy())));
    void source.send('a', 100);
    void source.send('b', 200);
    expect(await job.end(source)).toEqual(['0: 2']);
  });

  test('mode advance lets time pass with the clock, no faster', async () => {
    const job = new Job();
    const source = new LiveSource<string>();
    await job.start((env) =>
      perSecond(env.addSource(source).assignTimestampsAndWatermarks(strategy('1s', 'advance'))),
    );
    void source.send('a', 100);
    void source.send('b', 5_500);
    void source.send('c', 5_600);
    await settle();
    expect(job.output()).toEqual(['0: 1']);
    // The watermark is 5599 and follows the clock once a second has passed.
    await job.time.advance(1_200);
    expect(job.output()).toEqual(['5000: 2']);
    void source.send('d', 7_000);
    await job.time.advance(900);
    expect(job.output()).toEqual([]);
    expect(await job.end(source)).toEqual(['7000: 1']);
    expect(job.late()).toBe(0);
  });

  test('mode hold leaves the watermark where it is', async () => {
    const job = new Job();
    const source = new LiveSource<string>();
    await job.start((env) =>
      perSecond(env.addSource(source).assignTimestampsAndWatermarks(strategy('1s', 'hold'))),
    );
    void source.send('a', 100);
    await job.time.advance(60_000);
    expect(job.output()).toEqual([]);
    void source.send('b', 150);
    expect(await job.end(source)).toEqual(['0: 2']);
    expect(job.late()).toBe(0);
  });

  test('mode flush: the next record starts anew', async () => {
    const job = new Job();
    const source = new LiveSource<string>();
    await job.start((env) =>
      perSecond(env.addSource(source).assignTimestampsAndWatermarks(strategy('1s', 'flush'))),
    );
    void source.send('a', 9_100);
    await job.time.advance(1_100);
    expect(job.output()).toEqual(['9000: 1']);
    void source.send('b', 100);
    void source.send('c', 1_100);
    await settle();
    expect(job.output()).toEqual(['0: 1']);
    expect(await job.end(source)).toEqual(['1000: 1']);
    expect(job.late()).toBe(0);
  });

  test('records put the silence off', async () => {
    const job = new Job();
    const source = new LiveSource<string>();
    await job.start((env) =>
      perSecond(env.addSource(source).assignTimestampsAndWatermarks(strategy('1s', 'flush'))),
    );
    for (let i = 0; i < 5; i++) {
      void source.send('a', i);
      await job.time.advance(900);
    }
    expect(job.output()).toEqual([]);
    await job.time.advance(300);
    expect(job.output()).toEqual(['0: 5']);
    await job.end(source);
  });

  test('a pipeline that works is no silence', async () => {
    const job = new Job();
    const source = new LiveSource<string>();
    const gate = new Deferred();
    await job.start((env) =>
      perSecond(
        env
          .addSource(source)
          .assignTimestampsAndWatermarks(strategy('1s', 'flush'))
          .map(async (v) => {
            await gate.promise;
            return v;
          }),
      ),
    );
    void source.send('a', 100);
    await job.time.advance(10_000);
    gate.resolve();
    await job.time.advance(900);
    expect(job.output()).toEqual([]);
    await job.time.advance(300);
    expect(job.output()).toEqual(['0: 1']);
    await job.end(source);
  });

  test('a clock that is set back neither adds silence nor holds it up', async () => {
    const job = new Job();
    const source = new LiveSource<string>();
    await job.start((env) =>
      perSecond(env.addSource(source).assignTimestampsAndWatermarks(strategy('1s', 'flush'))),
    );
    void source.send('a', 100);
    await job.time.advance(500);
    job.time.set(job.time.now() - 3_600_000);
    await job.time.advance(450);
    expect(job.output()).toEqual([]);
    await job.time.advance(200);
    expect(job.output()).toEqual(['0: 1']);
    await job.end(source);
  });

  test('an async iterable falls silent too', async () => {
    const job = new Job();
    const gate = new Deferred();
    async function* letters(): AsyncGenerator<string> {
      yield 'a';
      yield 'b';
      await gate.promise;
    }
    await job.start((env) =>
      perSecond(env.fromAsyncIterable(letters()).assignTimestampsAndWatermarks(strategy('1s', 'flush'))),
    );
    await job.time.advance(1_100);
    expect(job.output()).toEqual(['0: 2']);
    gate.resolve();
    await job.end();
  });
});

describe('an idle input of a union', () => {
  async function union(modeOfSilent?: IdleMode) {
    const job = new Job();
    const [busy, silent] = [new LiveSource<string>(), new LiveSource<string>()];
    await job.start((env) =>
      perSecond(
        env
          .addSource(busy)
          .assignTimestampsAndWatermarks(strategy())
          .union(
            env
              .addSource(silent)
              .assignTimestampsAndWatermarks(
                modeOfSilent === undefined ? strategy() : strategy('1s', modeOfSilent),
              ),
          ),
      ),
    );
    return { job, busy, silent };
  }

  test('holds the others up while it does not count as idle', async () => {
    const { job, busy, silent } = await union();
    void busy.send('a', 100);
    void busy.send('b', 5_000);
    await job.time.advance(60_000);
    expect(job.output()).toEqual([]);
    expect(await job.end(busy, silent)).toEqual(['0: 1', '5000: 1']);
  });

  test.each<IdleMode>(['hold', 'advance', 'flush'])(
    'mode %s: it is left out once it is idle',
    async (mode) => {
      const { job, busy, silent } = await union(mode);
      void busy.send('a', 100);
      void silent.send('b', 200);
      void busy.send('c', 5_000);
      await job.time.advance(900);
      expect(job.output()).toEqual([]);
      await job.time.advance(300);
      expect(job.output()).toEqual(['0: 2']);
      expect(await job.end(busy, silent)).toEqual(['5000: 1']);
      expect(job.late()).toBe(0);
    },
  );

  test('that never had a record is left out too', async () => {
    const { job, busy, silent } = await union('advance');
    void busy.send('a', 100);
    void busy.send('b', 5_000);
    await job.time.advance(1_100);
    expect(job.output()).toEqual(['0: 1']);
    await job.end(busy, silent);
  });

  test('is counted again with its next record', async () => {
    const { job, busy, silent } = await union('hold');
    void silent.send('a', 1_500);
    void busy.send('b', 1_600);
    await job.time.advance(1_100);
    void silent.send('c', 2_500);
    void busy.send('d', 9_000);
    await settle();
    // 'c' keeps the watermark at 2499, in spite of 'd'.
    expect(job.output()).toEqual(['1000: 2']);
    expect(await job.end(busy, silent)).toEqual(['2000: 1', '9000: 1']);
  });

  test('that has ended no longer holds the others up, and they can still fall silent', async () => {
    const job = new Job();
    const [short, long] = [new LiveSource<string>(), new LiveSource<string>()];
    await job.start((env) =>
      perSecond(
        env
          .addSource(short)
          .union(env.addSource(long))
          .assignTimestampsAndWatermarks(strategy('1s', 'flush')),
      ),
    );
    void short.send('a', 100);
    void long.send('b', 200);
    short.end();
    await job.time.advance(1_100);
    expect(job.output()).toEqual(['0: 2']);
    await job.end(long);
  });
});

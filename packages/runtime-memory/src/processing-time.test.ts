import { describe, expect, test } from '@jest/globals';
import { type DataStream, defineJob } from '@rs/core';
import { ProcessingTimeTrigger, SessionWindow, TumblingWindow } from '@rs/window';
import { MAX_DELAY } from '@rs/runtime';
import { StreamExecutionEnvironment } from './index.ts';
import { Deferred } from './test-support/deferred.ts';
import { delayed } from './test-support/delayed.ts';
import { LiveSource } from './test-support/live-source.ts';
import { ManualTime } from './test-support/manual-time.ts';
import { settle } from './test-support/settle.ts';
import type { Sinkable } from './test-support/sinkable.ts';

/** A job on the clock of the test, fed by the test. */
async function start(
  define: (stream: DataStream<string>) => Sinkable,
  time: ManualTime = new ManualTime(1_000),
) {
  const source = new LiveSource<string>();
  const out: unknown[] = [];
  const env = StreamExecutionEnvironment.getExecutionEnvironment({
    processingTime: 'clock',
    clock: time,
    scheduler: time,
  });
  const running = env.executeAsync(
    defineJob((streams) => define(streams.addSource(source)).addSink((v) => void out.push(v))),
  );
  await settle();
  /** What came since it was asked last. */
  const output = () => out.splice(0);
  const end = async () => {
    source.end();
    await running;
    return output();
  };
  return { source, time, output, end };
}

const keyed = (stream: DataStream<string>) => stream.keyBy((v) => v);

describe("processing time 'clock'", () => {
  test('timers fire when the clock reaches them, although no record comes', async () => {
    const { source, time, output, end } = await start((stream) => keyed(stream).process(delayed(100)));
    void source.send('a');
    await time.advance(50);
    void source.send('b');
    expect(output()).toEqual(['a', 'b']);
    await time.advance(49);
    expect(output()).toEqual([]);
    await time.advance(1);
    expect(output()).toEqual(['a fired 1100 at 1100']);
    await time.advance(50);
    expect(output()).toEqual(['b fired 1150 at 1150']);
    expect(await end()).toEqual([]);
  });

  test('timers fire also while records keep coming', async () => {
    const { source, time, output, end } = await start((stream) => keyed(stream).process(delayed(30)));
    const seen: unknown[] = [];
    for (let i = 0; i < 5; i++) {
      void source.send(`v${i}`);
      await time.advance(10);
      seen.push(output());
    }
    expect(seen).toEqual([['v0'], ['v1'], ['v2', 'v0 fired 1030 at 1030'], ['v3', 'v1 fired 1040 at 1040'], ['v4', 'v2 fired 1050 at 1050']]); // prettier-ignore
    await end();
  });

  test('event times have no influence', async () => {
    const { source, time, output, end } = await start((stream) => keyed(stream).process(delayed(100)));
    void source.send('a', 5_000);
    void source.send('b', 6_000);
    await settle();
    expect(output()).toEqual(['a', 'b']);
    await time.advance(100);
    expect(output()).toEqual(['a fired 1100 at 1100', 'b fired 1100 at 1100']);
    await end();
  });

  test('a periodic timer', async () => {
    const { source, time, output, end } = await start((stream) =>
      keyed(stream).process<number>({
        processElement: (_key, _value, ctx) =>
          ctx.registerProcessingTimeTimer(ctx.currentProcessingTime() + 10),
        onProcessingTime(timestamp, _key, ctx, out) {
          out.collect(timestamp);
          if (ctx.currentWatermark() < Infinity) ctx.registerProcessingTimeTimer(timestamp + 10);
        },
      }),
    );
    void source.send('a');
    await time.advance(35);
    expect(output()).toEqual([1010, 1020, 1030]);
    expect(await end()).toEqual([1040]); // The end of the input fires what is left; then it stops.
    expect(time.pending).toBe(0);
  });

  test('a timer in the past fires at once', async () => {
    const { source, output, end } = await start((stream) => keyed(stream).process(delayed(-500)));
    void source.send('a');
    await settle();
    expect(output()).toEqual(['a', 'a fired 500 at 500']);
    await end();
  });

  test('a deleted timer does not fire', async () => {
    const { source, time, end } = await start((stream) =>
      keyed(stream).process<string>({
        processElement(_key, _value, ctx) {
          ctx.registerProcessingTimeTimer(1_100);
          ctx.deleteProcessingTimeTimer(1_100);
        },
        onProcessingTime: (_time, _key, _ctx, out) => out.collect('fired'),
      }),
    );
    void source.send('a');
    await time.advance(1_000);
    expect(await end()).toEqual([]);
    expect(time.pending).toBe(0);
  });

  test('what is left at the end of the input fires without waiting', async () => {
    const { source, time, output, end } = await start((stream) => keyed(stream).process(delayed(86_400_000)));
    void source.send('a');
    await settle();
    output();
    expect(await end()).toEqual(['a fired 86401000 at 86401000']);
    expect(time.now()).toBe(1_000);
  });

  test('delays above 2^31 ms are waited for, although setTimeout cannot', async () => {
    const long = 2 ** 31 + 5_000;
    const time = new ManualTime(1_000, MAX_DELAY);
    const { source, output, end } = await start((stream) => keyed(stream).process(delayed(long)), time);
    void source.send('a');
    await time.advance(MAX_DELAY + 1);
    expect(output()).toEqual(['a']);
    await time.advance(long - MAX_DELAY - 1);
    expect(output()).toEqual([`a fired ${1_000 + long} at ${1_000 + long}`]);
    await end();
  });

  test('an asynchronous timer holds up the next one, and records', async () => {
    const gate = new Deferred();
    const { source, time, output, end } = await start((stream) =>
      keyed(stream).process<string>({
        processElement(key, _value, ctx, out) {
          out.collect(`e${key}`);
          ctx.registerProcessingTimeTimer(1_100);
        },
        async onProcessingTime(_time, key, ctx, out) {
          out.collect(`begin ${key}`);
          await gate.promise;
          out.collect(`end ${key} at ${ctx.currentProcessingTime()}`);
        },
      }),
    );
    void source.send('a');
    void source.send('b');
    await time.advance(100);
    void source.send('c');
    await time.advance(10);
    expect(output()).toEqual(['ea', 'eb', 'begin a']);
    gate.resolve();
    await settle();
    expect(output()).toEqual(['end a at 1100', 'begin b', 'end b at 1100', 'ec', 'begin c', 'end c at 1100']);
    await end();
  });

  test('timers of an operator come before those of the operators behind it', async () => {
    const { source, time, output, end } = await start((stream) =>
      keyed(stream)
        .process<string>({
          processElement(_key, _value, ctx, out) {
            ctx.registerProcessingTimeTimer(1_100);
            out.collect('first');
          },
          async onProcessingTime(_time, _key, _ctx, out) {
            await settle();
            out.collect('from the timer');
          },
        })
        .keyBy(() => 'k')
        .process(delayed(100)),
    );
    void source.send('a');
    await time.advance(100);
    expect(output()).toEqual(['first', 'from the timer', 'k fired 1100 at 1100']);
    await end();
  });

  test('a clock that is set back holds timers until it is there again', async () => {
    const { source, time, output, end } = await start((stream) => keyed(stream).process(delayed(100)));
    void source.send('a');
    await settle();
    time.set(500);
    await time.advance(500);
    expect(output()).toEqual(['a']);
    await time.advance(100);
    expect(output()).toEqual(['a fired 1100 at 1100']);
    await end();
  });

  describe('windows', () => {
    const counts = (stream: DataStream<string>) =>
      keyed(stream)
        .window(TumblingWindow.of(100, { time: 'processing' }))
        .process<string>((key, window, elements, ctx, out) =>
          out.collect(
            `${key}[${window.start},${window.end})=${elements.length} at ${ctx.currentEventTime()}`,
          ),
        );

    test('are cut by the clock, and fire when it has passed their end', async () => {
      const { source, time, output, end } = await start(counts);
      void source.send('a', 0);
      void source.send('a', 999_999);
      await time.advance(99);
      void source.send('a', 5);
      await settle();
      expect(output()).toEqual([]);
      await time.advance(1);
      expect(output()).toEqual(['a[1000,1100)=3 at 1099']);
      void source.send('a', 0);
      await time.advance(100);
      expect(output()).toEqual(['a[1100,1200)=1 at 1199']);
      expect(await end()).toEqual([]);
    });

    test('that are open at the end of the input fire then', async () => {
      const { source, end } = await start(counts);
      void source.send('a');
      void source.send('b');
      await settle();
      expect(await end()).toEqual(['a[1000,1100)=1 at 1099', 'b[1000,1100)=1 at 1099']);
    });

    test('no record is late for them', async () => {
      const { source, time, end } = await start(counts);
      void source.send('a', 1_000_000);
      await time.advance(150);
      void source.send('a', 0);
      await settle();
      expect(await end()).toEqual(['a[1000,1100)=1 at 1099', 'a[1100,1200)=1 at 1199']);
    });

    test('sessions end when the clock has passed the gap', async () => {
      const { source, time, output, end } = await start((stream) =>
        keyed(stream)
          .window(SessionWindow.withGap(100, { time: 'processing' }))
          .apply<string>((_key, { start, end: windowEnd }, elements, out) =>
            out.collect(`[${start},${windowEnd})=${elements.length}`),
          ),
      );
      void source.send('a');
      await time.advance(60);
      void source.send('a');
      await time.advance(99);
      expect(output()).toEqual([]);
      await time.advance(1);
      expect(output()).toEqual(['[1000,1160)=2']);
      await end();
    });

    test('an event-time window with a processing-time trigger fires when the clock passes its end', async () => {
      const { source, time, output, end } = await start((stream) =>
        keyed(stream).window(TumblingWindow.of(100)).trigger(ProcessingTimeTrigger.create()).count(),
      );
      void source.send('a', 1_010);
      void source.send('a', 1_020);
      await time.advance(98);
      expect(output()).toEqual([]);
      await time.advance(2);
      expect(output()).toEqual([2]);
      await end();
    });
  });

  test('an eager run reads the clock, but cannot wait: all timers and windows fire at the end', () => {
    const time = new ManualTime(1_000);
    const env = StreamExecutionEnvironment.getExecutionEnvironment({
      processingTime: 'clock',
      clock: time,
      scheduler: time,
    });
    const source = env.fromElements('a', 'b').map((v) => {
      time.set(time.now() + 1_000);
      return v;
    });
    expect([...keyed(source).process(delayed(10))]).toEqual([
      'a',
      'b',
      'a fired 2010 at 2010',
      'b fired 3010 at 3010',
    ]);
    const windowed = keyed(source)
      .window(TumblingWindow.of(100, { time: 'processing' }))
      .process<string>((key, { start: from }, _elements, _ctx, out) => out.collect(`${key}${from}`));
    expect([...windowed]).toEqual(['a4000', 'b5000']);
    expect(time.pending).toBe(0);
  });
});

import { afterEach, describe, expect, jest, test } from '@jest/globals';
import { defineJob } from '@rs/core';
import { TumblingWindow } from '@rs/window';
import { StreamExecutionEnvironment } from './index.ts';
import { delayed } from './test-support/delayed.ts';
import { LiveSource } from './test-support/live-source.ts';
import { ManualTime } from './test-support/manual-time.ts';

describe("processing time 'records'", () => {
  test('follows the records, not the clock, also in an asynchronous run', async () => {
    const out: string[] = [];
    const job = defineJob((env) =>
      env
        .fromElements('a', 'b', 'c')
        .map((v) => Promise.resolve(v))
        .keyBy(() => 'k')
        .process(delayed(1))
        .addSink((v) => void out.push(v)),
    );
    const time = new ManualTime(1_000_000);
    await StreamExecutionEnvironment.getExecutionEnvironment({ clock: time, scheduler: time }).executeAsync(
      job,
    );
    expect(out).toEqual(['a', 'k fired 1 at 1', 'b', 'k fired 2 at 2', 'c', 'k fired 3 at 3']);
  });

  test('windows of processing time are cut by it', () => {
    const env = StreamExecutionEnvironment.getExecutionEnvironment();
    const windows = env
      .addSource<string>({
        run: (ctx) => {
          for (const at of [0, 5, 3, 12]) void ctx.collectWithTimestamp('a', at);
        },
      })
      .keyBy((v) => v)
      .window(TumblingWindow.of(10, { time: 'processing' }))
      .apply<string>((_key, { start: from }, elements, out) => out.collect(`${from}:${elements.length}`));
    expect([...windows]).toEqual(['0:3', '10:1']);
  });
});

describe('the clock and the timers of the machine', () => {
  afterEach(() => {
    jest.useRealTimers();
  });

  test.each([1_000, 2 ** 31 + 1_000])('a delay of %d ms', async (delay) => {
    jest.useFakeTimers({ now: 5_000 });
    const source = new LiveSource<string>();
    const out: string[] = [];
    const env = StreamExecutionEnvironment.getExecutionEnvironment({ processingTime: 'clock' });
    const running = env.executeAsync(
      defineJob((streams) =>
        streams
          .addSource(source)
          .keyBy((v) => v)
          .process(delayed(delay))
          .addSink((v) => void out.push(v)),
      ),
    );
    await jest.advanceTimersByTimeAsync(1);
    void source.send('a');
    await jest.advanceTimersByTimeAsync(delay - 2);
    expect(out).toEqual(['a']);
    await jest.advanceTimersByTimeAsync(5);
    expect(out).toEqual(['a', `a fired ${5_001 + delay} at ${5_001 + delay}`]);
    source.end();
    await jest.advanceTimersByTimeAsync(5);
    await running;
    expect(jest.getTimerCount()).toBe(0);
  });
});

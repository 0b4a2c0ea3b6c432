import { describe, expect, test } from '@jest/globals';
import { type LatenessMode, outputTag } from '@rs/core';
import { SlidingWindow, TumblingWindow } from '@rs/window';
import type { MemoryEnvironmentOptions } from '../index.ts';
import { MODES, run } from '../test-support/run.ts';
import { type At, timed, times } from '../test-support/timed.ts';

const LATE = outputTag<number>('late');

interface Outcome {
  readonly out: string[];
  readonly late: number;
}

describe.each(MODES)('late records, %s', (mode) => {
  /** Counts per minute of key k; values are the times. */
  async function minutes(
    timestamps: readonly number[],
    options: MemoryEnvironmentOptions = {},
  ): Promise<Outcome> {
    const out: string[] = [];
    const records: At<number>[] = timestamps.map((at) => ({ at, value: at }));
    const env = await run(
      mode,
      (streams) =>
        timed(streams, records)
          .keyBy(() => 'k')
          .window(TumblingWindow.of('1m'))
          .apply<string>((_key, { start }, elements, collector) =>
            collector.collect(`${start / 60_000}:${elements.length}`),
          )
          .addSink((v) => void out.push(v)),
      options,
    );
    return { out, late: env.metrics().lateRecords };
  }

  test('one record from the future: those after it are late, exactly as many as there are', async () => {
    const after = Array.from({ length: 10 }, (_, i) => 180_000 + 60_000 * i);
    const { out, late } = await minutes([0, 120_000, 86_400_000, ...after]);
    expect(late).toBe(10);
    expect(out).toEqual(['0:1', '2:1', '1440:1']);
  });

  test('late for one sliding window, on time for the other', async () => {
    const out: string[] = [];
    const env = await run(mode, (streams) =>
      timed(streams, [...times('k', 6), ...times('z', 13), ...times('k', 8), ...times('z', 40)])
        .keyBy((key) => key)
        .window(SlidingWindow.of(10, 5))
        .apply<string>((key, { start }, elements, collector) =>
          collector.collect(`${key}${start}:${elements.length}`),
        )
        .filter((v) => v.startsWith('k'))
        .addSink((v) => void out.push(v)),
    );
    expect(out).toEqual(['k0:1', 'k5:2']);
    expect(env.metrics().lateRecords).toBe(0);
  });

  test('with lateness, a late record fires its window again', async () => {
    const outcome = await minutes([0, 70_000, 1], { windowAllowedLateness: '1m' });
    expect(outcome).toEqual({ out: ['0:1', '0:2', '1:1'], late: 0 });
  });

  test.each<[LatenessMode, string[]]>([
    ['refire', ['0:1', '0:2', '0:3', '1:2']],
    ['postpone', ['0:3', '1:2']],
  ])('mode %s, by default of the environment', async (windowLatenessMode, expected) => {
    const options = { windowAllowedLateness: '1m', windowLatenessMode } as const;
    const outcome = await minutes([0, 70_000, 1, 2, 71_000], options);
    expect(outcome).toEqual({ out: expected, late: 0 });
  });

  test('the lateness of the window wins over that of the environment', async () => {
    const out: number[] = [];
    const env = await run(
      mode,
      (streams) =>
        timed(
          streams,
          [0, 70_000, 1].map((at) => ({ at, value: at })),
        )
          .keyBy(() => 'k')
          .window(TumblingWindow.of('1m'))
          .allowedLateness(0)
          .count()
          .addSink((v) => void out.push(v)),
      { windowAllowedLateness: '1m' },
    );
    expect(out).toEqual([1, 1]);
    expect(env.metrics().lateRecords).toBe(1);
  });

  test('a record is late when the watermark has reached end − 1 + lateness', async () => {
    // Watermark = newest − 1; the window [0,60000) with 10 s of lateness is open until 69999.
    const open = await minutes([0, 69_999, 1], { windowAllowedLateness: '10s' }); // watermark 69998
    const closed = await minutes([0, 70_000, 1], { windowAllowedLateness: '10s' }); // watermark 69999
    expect([open.late, closed.late]).toEqual([0, 1]);
  });

  test('late records go to the late output, with their own time', async () => {
    const out: string[] = [];
    await run('async', (streams) => {
      const counts = timed(
        streams,
        [0, 120_000, 1, 2].map((at) => ({ at, value: at })),
      )
        .keyBy(() => 'k')
        .window(TumblingWindow.of('1m'))
        .sideOutputLateData(LATE)
        .count();
      counts.addSink((n) => void out.push(`count ${n}`));
      counts
        .getSideOutput(LATE)
        .keyBy(() => 'k')
        .process<string>((_key, v, ctx, collector) =>
          collector.collect(`late ${v} at ${ctx.currentEventTime()}`),
        )
        .addSink((v) => void out.push(v));
    });
    expect(out).toEqual(['count 1', 'late 1 at 1', 'late 2 at 2', 'count 1']);
  });
});

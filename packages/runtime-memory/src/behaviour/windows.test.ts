import { describe, expect, test } from '@jest/globals';
import type { AggregateFunction, DataStream, StreamEnvironment, WindowAssigner } from '@rs/core';
import { CountTrigger, PurgingTrigger, SessionWindow, SlidingWindow, TumblingWindow } from '@rs/window';
import { coded } from '../test-support/coded.ts';
import { MODES, run } from '../test-support/run.ts';
import { type At, timed, times } from '../test-support/timed.ts';

describe.each(MODES)('windows, %s', (mode) => {
  async function results<T>(define: (env: StreamEnvironment) => DataStream<T>): Promise<T[]> {
    const out: T[] = [];
    await run(mode, (env) => define(env).addSink((value) => void out.push(value)));
    return out;
  }

  /** Each result as `key[start,end)=number of elements`, and the number of late records. */
  async function counted(
    assigner: WindowAssigner<string>,
    records: readonly At<string>[],
    outOfOrderness = 0,
  ): Promise<{ out: string[]; late: number }> {
    const out: string[] = [];
    const env = await run(mode, (streams) =>
      timed(streams, records, outOfOrderness)
        .keyBy((key) => key)
        .window(assigner)
        .apply<string>((key, { start, end }, elements, collector) =>
          collector.collect(`${key}[${start},${end})=${elements.length}`),
        )
        .addSink((v) => void out.push(v)),
    );
    return { out, late: env.metrics().lateRecords };
  }

  const values = (...numbers: readonly number[]): At<number>[] => numbers.map((at) => ({ at, value: at }));

  describe('firing', () => {
    test('1000, 1500, 2500 in windows of 1000 are 2 and 1', async () => {
      const out = await results((env) =>
        timed(env, values(1000, 1500, 2500))
          .keyBy(() => 'k')
          .window(TumblingWindow.of(1000))
          .count(),
      );
      expect(out).toEqual([2, 1]);
    });

    test('a result comes when the watermark reaches end − 1, before the record that moved it', async () => {
      const log: string[] = [];
      await run(mode, (env) =>
        timed(env, values(0, 999, 1000))
          .map((v) => {
            log.push(`read ${v}`);
            return v;
          })
          .keyBy(() => 'k')
          .window(TumblingWindow.of(1000))
          .count()
          .addSink((n) => void log.push(`count ${n}`)),
      );
      // The record 1000 makes the watermark 999 = end − 1, which is sent on ahead of the record.
      expect(log).toEqual(['read 0', 'read 999', 'count 2', 'read 1000', 'count 1']);
    });

    test('records with the time of the watermark + 1 are not late', async () => {
      const { out, late } = await counted(TumblingWindow.of(1000), times('k', 999, 999, 2500));
      expect(out).toEqual(['k[0,1000)=2', 'k[2000,3000)=1']);
      expect(late).toBe(0);
    });

    test('a result has the time end − 1, and windows of windows work', async () => {
      const out = await results((env) =>
        timed(env, values(100, 600, 1100, 2100))
          .keyBy(() => 'k')
          .window(TumblingWindow.of(500))
          .count()
          .keyBy(() => 'k')
          .window(TumblingWindow.of(1000))
          .process<string>((_key, { start }, elements, ctx, collector) =>
            collector.collect(`${start}: ${elements.join('+')} at ${ctx.currentEventTime()}`),
          ),
      );
      expect(out).toEqual(['0: 1+1 at 999', '1000: 1 at 1999', '2000: 1 at 2999']);
    });

    test('what is left fires at the end of the input, in the order of time, then key', async () => {
      const records = [
        { at: 1500, value: 'b' },
        { at: 500, value: 'b' },
        { at: 1700, value: 'a' },
        { at: 300, value: 'a' },
      ];
      const { out } = await counted(TumblingWindow.of(1000), records, 10_000);
      expect(out).toEqual(['a[0,1000)=1', 'b[0,1000)=1', 'a[1000,2000)=1', 'b[1000,2000)=1']);
    });

    test('all operations on windows', async () => {
      const windowed = (env: StreamEnvironment) =>
        timed(env, values(1, 2, 3))
          .keyBy(() => 'k')
          .window(TumblingWindow.of(10));
      const mean: AggregateFunction<number, { sum: number; n: number }, number> = {
        createAccumulator: () => ({ sum: 0, n: 0 }),
        add: (v, { sum, n }) => ({ sum: sum + v, n: n + 1 }),
        getResult: ({ sum, n }) => sum / n,
      };
      expect(await results((env) => windowed(env).reduce((a, b) => a * b))).toEqual([6]);
      expect(await results((env) => windowed(env).sum())).toEqual([6]);
      expect(await results((env) => windowed(env).sum((v) => -v))).toEqual([-6]);
      expect(await results((env) => windowed(env).count())).toEqual([3]);
      expect(await results((env) => windowed(env).aggregate(mean))).toEqual([2]);
      const described = await results((env) =>
        windowed(env).aggregate(mean, (result, { key, window }) => `${key} ${window.start} ${result}`),
      );
      expect(described).toEqual(['k 0 2']);
    });

    test('the end of time is no reason to hang or to lose anything', async () => {
      const year = 365 * 86_400_000;
      const largestDate = 8_640_000_000_000_000;
      const out = await results((env) =>
        timed(env, values(1000, largestDate))
          .keyBy(() => 'k')
          .window(TumblingWindow.of(1000))
          .allowedLateness(year)
          .apply<number>((_key, { start }, _elements, collector) => collector.collect(start)),
      );
      expect(out).toEqual([1000, largestDate]);
    });
  });

  describe('assignment', () => {
    test('negative timestamps', async () => {
      const { out } = await counted(TumblingWindow.of(10), times('k', -1, -10, -11, 0, 9), 100);
      expect(out).toEqual(['k[-20,-10)=1', 'k[-10,0)=2', 'k[0,10)=2']);
      const sliding = await counted(SlidingWindow.of(10, 3), times('k', -1), 100);
      expect(sliding.out).toEqual(['k[-9,1)=1', 'k[-6,4)=1', 'k[-3,7)=1']);
    });

    test('sliding windows count each record in each of theirs', async () => {
      const every2s = Array.from({ length: 15 }, (_, i) => 2_000 * i);
      const { out } = await counted(SlidingWindow.of('10s', '5s'), times('k', ...every2s));
      expect(out).toEqual([
        'k[-5000,5000)=3',
        'k[0,10000)=5',
        'k[5000,15000)=5',
        'k[10000,20000)=5',
        'k[15000,25000)=5',
        'k[20000,30000)=5',
        'k[25000,35000)=2',
      ]);
    });

    test('a record in a gap belongs to no window, and is not late', async () => {
      const { out, late } = await counted(SlidingWindow.of(10, 15), times('k', 0, 12, 16));
      expect(out).toEqual(['k[0,10)=1', 'k[15,25)=1']);
      expect(late).toBe(0);
    });

    test('an assigner of your own', async () => {
      const oddOrEven: WindowAssigner<string> = {
        assignWindows: (_element, timestamp) =>
          timestamp % 2 === 0 ? [{ start: 0, end: 100 }] : [{ start: 0, end: 100 }, { start: 0, end: 50 }], // prettier-ignore
        getDefaultTrigger: () => TumblingWindow.of(1).getDefaultTrigger(),
        supportsWindowMerging: () => false,
        timeDomain: 'event',
        describe: () => 'odd or even',
      };
      const { out } = await counted(oddOrEven, times('k', 1, 2, 3));
      expect(out).toEqual(['k[0,50)=2', 'k[0,100)=3']);
    });

    test.each([
      ['an empty window', [{ start: 5, end: 5 }], 'RS_INVALID_VALUE'],
      ['a window without a start', [{ start: Number.NaN, end: 5 }], 'RS_INVALID_TIMESTAMP'],
    ] as const)('%s is refused', async (_, windows, code) => {
      const broken: WindowAssigner<string> = {
        assignWindows: () => windows,
        getDefaultTrigger: () => TumblingWindow.of(1).getDefaultTrigger(),
        supportsWindowMerging: () => false,
        timeDomain: 'event',
        describe: () => 'broken',
      };
      await expect(counted(broken, times('k', 1))).rejects.toEqual(coded(code));
    });
  });

  describe('sessions', () => {
    const gap = (millis: number) => SessionWindow.withGap(millis);

    test.each([
      [[0, 50, 120, 170], ['k[0,270)=4']],
      [
        [0, 100],
        ['k[0,100)=1', 'k[100,200)=1'],
      ],
      [[0, 150, 80], ['k[0,250)=3']],
    ])('gap 100: %p', async (timestamps, expected) => {
      const { out } = await counted(gap(100), times('k', ...timestamps), 1000);
      expect(out).toEqual(expected);
    });

    test('with touching: merge, sessions one gap apart are one', async () => {
      const { out } = await counted(
        SessionWindow.withGap(100, { touching: 'merge' }),
        times('k', 0, 100),
        100,
      );
      expect(out).toEqual(['k[0,200)=2']);
    });

    test.each([
      [[1, 9, 5], 3],
      [[1, 5, 9], 3],
      [[5, 1, 9], 3],
      [[5, 9, 1], 3],
      [[9, 1, 5], 3],
      [[9, 5, 1], 3],
      [[1, 9, 5, 5], 4],
    ])('a bridge joins sessions in every order: %p', async (timestamps, elements) => {
      const { out, late } = await counted(gap(5), [...times('k', ...timestamps), ...times('j', 9)], 100);
      expect(out).toEqual(['j[9,14)=1', `k[1,14)=${elements}`]);
      expect(late).toBe(0);
    });

    test('elements keep the order of arrival within each session that was joined', async () => {
      const out = await results((env) =>
        timed(env, values(9, 1, 5), 100)
          .keyBy(() => 'k')
          .window(SessionWindow.withGap(5))
          .apply<string>((_key, _window, elements, collector) => collector.collect(elements.join())),
      );
      expect(out).toEqual(['1,9,5']);
    });

    test('a late record is not put into the next session', async () => {
      const { out, late } = await counted(gap(5), [
        ...times('k', 100),
        ...times('z', 200),
        ...times('k', 3, 300),
      ]);
      expect(out).toEqual(['k[100,105)=1', 'z[200,205)=1', 'k[300,305)=1']);
      expect(late).toBe(1);
    });

    test('accumulators are merged, with the merge of the aggregate', async () => {
      const out = await results((env) =>
        timed(env, values(1, 9, 5), 100)
          .keyBy(() => 'k')
          .window(SessionWindow.withGap(5))
          .sum(),
      );
      expect(out).toEqual([15]);
    });

    test('an aggregate without merge is refused when it is declared', async () => {
      const running = results((env) =>
        timed(env, values(1))
          .keyBy(() => 'k')
          .window(SessionWindow.withGap(5))
          .aggregate({ createAccumulator: () => 0, add: (v, sum) => v + sum, getResult: (sum) => sum }),
      );
      await expect(running).rejects.toEqual(coded('RS_INVALID_ARGUMENT'));
    });
  });

  describe('count triggers', () => {
    const sums = (trigger: CountTrigger | PurgingTrigger<unknown>) =>
      results((env) =>
        timed(env, values(1, 2, 3, 4, 5))
          .keyBy(() => 'k')
          .window(TumblingWindow.of(10))
          .trigger(trigger)
          .sum(),
      );

    test('fire at every n-th record; what the end finds unfired is not lost', async () => {
      expect(await sums(CountTrigger.of(2))).toEqual([3, 10, 15]);
      expect(await sums(PurgingTrigger.of(CountTrigger.of(2)))).toEqual([3, 7, 5]);
      expect(await sums(CountTrigger.of(5))).toEqual([15]);
    });

    test('count per key and window', async () => {
      const out = await results((env) =>
        timed(env, times('a', 1, 11).concat(times('b', 12)), 100)
          .keyBy((v) => v)
          .window(TumblingWindow.of(10))
          .trigger(PurgingTrigger.of(CountTrigger.of(2)))
          .apply<string>((key, { start }, elements, collector) =>
            collector.collect(`${key}${start}:${elements.length}`),
          ),
      );
      expect(out).toEqual(['a0:1', 'a10:1', 'b10:1']);
    });
  });
});

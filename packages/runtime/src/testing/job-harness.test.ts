import { describe, expect, test } from '@jest/globals';
import { TumblingWindow } from '@rs/window';
import { WatermarkStrategy } from '@rs/watermark';
import { graphOf, type HarnessItem, type HarnessJob, runChained } from './job-harness.ts';

const ignore = () => undefined;

describe('a chained run over several partitions', () => {
  const job: HarnessJob = (env) => {
    env
      .input<string>()
      .assignTimestampsAndWatermarks(WatermarkStrategy.forMonotonousTimestamps())
      .keyBy((value) => value)
      .window(TumblingWindow.of(10))
      .aggregate(
        {
          createAccumulator: () => 0,
          add: (_value, count: number) => count + 1,
          getResult: (count) => count,
        },
        (count, { key }) => `${key} ${count}`,
      )
      .addSink(ignore, { uid: 'counts' });
  };
  const record = (partition: number, value: string, timestamp: number): HarnessItem => ({
    type: 'record',
    input: 0,
    partition,
    value,
    timestamp,
  });
  const items: readonly HarnessItem[] = [
    record(0, 'fast', 1000),
    record(1, 'slow', 5),
    record(0, 'fast', 2000),
    record(1, 'slow', 6),
    ...[0, 1, 2].map((partition): HarnessItem => ({ type: 'end', input: 0, partition })),
  ];

  test('knows beforehand which of them have something, so that a slow one is not late', async () => {
    const { outputs, late } = await runChained(graphOf(job), items, () => 3);
    const values = outputs.map(({ value }) => value);
    expect(values.toSorted()).toEqual(['fast 1', 'fast 1', 'slow 2']);
    expect(late).toEqual({});
  });

  test('tells sinks by their uid', async () => {
    const { outputs } = await runChained(graphOf(job), items, () => 3);
    expect(new Set(outputs.map(({ sink }) => sink))).toEqual(new Set(['counts']));
  });
});

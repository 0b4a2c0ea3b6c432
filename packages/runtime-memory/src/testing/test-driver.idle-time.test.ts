import { describe, expect, test } from '@jest/globals';
import { defineJob, type IdleMode, type JobDefinition, topic } from '@rs/core';
import { WatermarkStrategy } from '@rs/watermark';
import { notCalled } from '../test-support/orders-job.ts';
import { TestDriver } from './index.ts';

const names = topic<string>('names');

describe('idleness', () => {
  /** A timer that is far behind the timeout of the strategy. */
  const waiting = (mode: IdleMode) =>
    defineJob((env) => {
      const strategy = WatermarkStrategy.forMonotonousTimestamps<string>().withIdleness('1m', { mode });
      env
        .fromTopic(names, 'test')
        .assignTimestampsAndWatermarks(strategy)
        .keyBy((name) => name)
        .process<string>({
          processElement: (_name, _value, ctx) => {
            ctx.registerEventTimeTimer(300_000);
            ctx.registerProcessingTimeTimer(270_000);
          },
          onEventTime: (time, name, ctx, out) => {
            out.collect(`${name}: ${time} at ${ctx.currentProcessingTime()}`);
            if (time < 500_000) ctx.registerEventTimeTimer(time + 70_000);
          },
          onProcessingTime: (time, name, _ctx, out) => out.collect(`${name} at ${time}`),
        })
        .addSink(notCalled);
    });

  async function passed(job: JobDefinition, steps: number, partitions: number): Promise<string[]> {
    const driver = TestDriver.of(job, { topics: { names: partitions } });
    await driver.send(names, [
      { key: 'ada', value: 'ada', timestamp: 100_000, partition: 0 },
      { key: 'bob', value: 'bob', timestamp: 0, partition: partitions - 1 },
    ]);
    for (let step = 0; step < steps; step++) await driver.advanceTime(3_600_000 / steps);
    const outputs = driver.outputs<string>();
    await driver.close();
    return outputs;
  }

  test.each<[IdleMode, number]>([
    ['advance', 1],
    ['advance', 3],
    ['hold', 3],
    ['flush', 1],
  ])('%s on %d partitions gives the same in one step as in sixty', async (mode, partitions) => {
    const atOnce = await passed(waiting(mode), 1, partitions);
    expect(atOnce).toEqual(await passed(waiting(mode), 60, partitions));
    expect(atOnce.length).toBeGreaterThan(1);
  });

  test('lets time follow the clock: what it fires is fired within a second', async () => {
    const outputs = await passed(waiting('advance'), 1, 1);
    const fired = outputs.flatMap((line) => [...line.matchAll(/^ada: (\d+) at (\d+)$/g)]);
    expect(fired.map(([, time]) => time)).toEqual(['300000', '370000', '440000', '510000']);
    for (const [, time, at] of fired) {
      const delay = Number(at) - (Number(time) - 99_999); // The watermark was 99 999 when the clock was 0.
      expect(delay).toBeGreaterThanOrEqual(0);
      expect(delay).toBeLessThanOrEqual(1_000);
    }
  });

  test('goes on from a watermark that was moved by hand', async () => {
    const driver = TestDriver.of(waiting('advance'));
    await driver.send(names, { value: 'ada', timestamp: 100_000 });
    await driver.advanceWatermark(280_000);
    await driver.advanceTime('1h');
    expect(driver.outputs<string>()[0]).toMatch(/^ada: 300000 at 200\d\d\d$/);
  });

  test('without anything that waits for it costs nothing', async () => {
    let asked = 0;
    const job = defineJob((env) => {
      env
        .fromTopic(names, 'test')
        .assignTimestampsAndWatermarks(
          WatermarkStrategy.forMonotonousTimestamps<string>().withIdleness('1m', { mode: 'advance' }),
        )
        .keyBy(() => ++asked)
        .sum(() => 1)
        .addSink(notCalled);
    });
    const driver = TestDriver.of(job, { topics: { names: 2 } });
    await driver.send(names, { value: 'ada', timestamp: 0 });
    await driver.advanceTime('36500d');
    expect(driver.outputs()).toEqual([1]);
  });
});

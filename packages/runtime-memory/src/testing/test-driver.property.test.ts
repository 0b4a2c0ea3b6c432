import { expect, test } from '@jest/globals';
import { defineJob, outputTag, topic, valueState } from '@rs/core';
import { TumblingWindow } from '@rs/window';
import fc from 'fast-check';
import { StreamExecutionEnvironment } from '../environment.ts';
import { MemoryTopics } from '../topic/memory-topics.ts';
import { TestDriver } from './index.ts';

interface Event {
  readonly key: string;
  readonly at: number;
}

const events = topic<Event>('events');
const late = outputTag<Event>('late');
const count = valueState('count', { default: () => 0 });

/** Tells what comes to each sink. */
function jobTo(take: (sink: string) => (value: unknown) => void) {
  return defineJob((env) => {
    const keyed = env.fromTopic(events, 'test').keyBy(({ key }) => key);
    const windows = keyed
      .window(TumblingWindow.of(10))
      .sideOutputLateData(late)
      .apply<string>((key, { start }, all, out) => out.collect(`${key} ${start} ${all.length}`), {
        uid: 'windows',
      });
    windows.addSink(take('windows'), { uid: 'windows-out' });
    windows.getSideOutput(late).addSink(take('late'), { uid: 'late-out' });
    const counted = keyed.getState(count);
    keyed
      .process<string>({
        processElement: (key, { at }, ctx, out) => {
          counted.update(counted.value() + 1);
          ctx.registerEventTimeTimer(at + 7);
          out.collect(`${key} ${counted.value()} w${ctx.currentWatermark()}`);
        },
        onEventTime: (time, key, _ctx, out) => out.collect(`${key} @${time} ${counted.value()}`),
      })
      .addSink(take('process'), { uid: 'process-out' });
  });
}

const drawn = fc.array(
  fc.record({ key: fc.constantFrom('a', 'b', '__proto__'), step: fc.integer({ min: -12, max: 15 }) }),
  { maxLength: 40 },
);

test('the results are those of the in-memory engine, in their order, however batches are cut', async () => {
  await fc.assert(
    fc.asyncProperty(
      drawn,
      fc.integer({ min: 1, max: 9 }),
      fc.boolean(),
      async (steps, batchSize, atOnce) => {
        let at = 100;
        const messages = steps.map(({ key, step }) => ({
          key,
          value: { key, at: (at += step) },
          timestamp: at,
        }));
        const topics = new MemoryTopics();
        topics.create(events, { partitions: 1 });
        for (const message of messages) topics.send(events, message);
        const results: Record<string, unknown[]> = { windows: [], late: [], process: [] };
        const env = StreamExecutionEnvironment.getExecutionEnvironment({ topics });
        const job = jobTo((sink) => (value) => void results[sink]?.push(value));
        const stop = new AbortController();
        const running = env.executeAsync(job, { signal: stop.signal });
        for (let turns = 0; turns < 20; turns++) await new Promise((resolve) => setImmediate(resolve));
        stop.abort();
        const { metrics } = await running;

        const driver = TestDriver.of(
          jobTo(() => () => undefined),
          { batchSize },
        );
        if (atOnce) await driver.send(events, messages);
        else for (const message of messages) await driver.send(events, message);
        await driver.flush();
        for (const [sink, values] of Object.entries(results))
          expect(driver.outputs(`${sink}-out`)).toEqual(values);
        expect(driver.lateRecords()).toEqual(metrics.lateRecordsByOperator);
        expect(driver.sideOutput('windows', late)).toEqual(results['late']);
      },
    ),
    { numRuns: 60, seed: 29 },
  );
}, 60_000);

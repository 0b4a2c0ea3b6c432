import { expect, test } from '@jest/globals';
import { WatermarkStrategy } from '@rs/watermark';
import type { Event } from '../../test-support/job-catalogue.ts';
import { PassesRun, record } from '../../test-support/passes-run.ts';
import { ignore } from '../../test-support/simulated-jobs.ts';
import type { HarnessJob } from '../../testing/index.ts';

/** Records of 'a' and of 'b' have watermarks of their own; the smaller one counts, unless that is idle. */
const twoClocks: HarnessJob = (env) => {
  const events = env.input<Event>();
  const timed = (key: string) =>
    events
      .filter((value) => value.key === key)
      .assignTimestampsAndWatermarks(
        WatermarkStrategy.forMonotonousTimestamps<Event>()
          .withIdleness(300, { mode: 'hold' })
          .withTimestampAssigner(({ time }) => time),
      );
  timed('a')
    .union(timed('b'))
    .keyBy(({ key }) => key)
    .process<string>({
      processElement: (_key, { time }, ctx) => ctx.registerEventTimeTimer(time + 10),
      onEventTime: (time, key, _ctx, out) => out.collect(`${key} @${time}`),
    })
    .addSink(ignore);
};

test('a quiet input becomes idle while others of the task have records all the time', async () => {
  const run = new PassesRun();
  const driver = await run.open(twoClocks);
  await driver.process([record('a', 1), record('b', 1)]);
  let passed = 0;
  // Looked at as an engine does, when the driver says so; more often than the quiet input is checked.
  for (let time = 1_000; !run.values.includes('b @11') && passed < 2_000; time++) {
    run.clock.time += 20;
    passed += 20;
    if (driver.nextIdleCheck(() => driver.eventTimers) <= run.clock.now()) await driver.tick();
    await driver.process([record('a', time)]);
  }
  expect(run.values).toContain('b @11');
  expect(passed).toBeGreaterThanOrEqual(300);
  expect(passed).toBeLessThanOrEqual(400);
});

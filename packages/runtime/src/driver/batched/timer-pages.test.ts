import { expect, test } from '@jest/globals';
import { bySink } from '../../test-support/catalogue-items.ts';
import type { Event } from '../../test-support/job-catalogue.ts';
import { runOverlapped } from '../../test-support/overlapped-run.ts';
import { event, ignore, strict } from '../../test-support/simulated-jobs.ts';
import { graphOf, type HarnessItem, type HarnessJob } from '../../testing/job-harness.ts';

/** Sets timers with every record, and deletes some of them with others. */
const fickle: HarnessJob = (env) => {
  env
    .input<Event>()
    .assignTimestampsAndWatermarks(strict)
    .keyBy(({ key }) => key)
    .process<string>({
      processElement: (key, { time, amount }, ctx, out) => {
        out.collect(`${key} ${time}`);
        for (const at of [time + amount, time + 2 * amount, time + 30]) ctx.registerEventTimeTimer(at);
        if (amount % 3 === 0) for (const at of [time + amount, time + 31]) ctx.deleteEventTimeTimer(at);
      },
      onEventTime: (time, key, _ctx, out) => out.collect(`${key} @${time}`),
    })
    .addSink(ignore);
};

const RECORDS = [
  ['b', 31, 19],
  ['b', 0, 17],
  ['b', 47, 1],
  ['a', 30, 20],
  ['b', 10, 0],
  ['a', 13, 18],
  ['b', 45, 17],
  ['a', 0, 2],
  ['b', 22, 7],
  ['a', 3, 1],
  ['b', 5, 19],
  ['z', 500, 0],
  ['z', 501, 0],
] as const;

test.each([1, 2, 3, 5])(
  'pages of %d timers that were deleted since are not read again and again',
  async (timerPage) => {
    const items: HarnessItem[] = RECORDS.map(([key, time, amount]) => ({
      type: 'record',
      input: 0,
      value: event(key, time, amount),
      timestamp: time,
    }));
    const run = { batchSize: 5, delays: [0, 2], maxFires: 1_000 };
    const expected = bySink(await runOverlapped(() => graphOf(fickle), items, run));
    expect(bySink(await runOverlapped(() => graphOf(fickle), items, { ...run, timerPage }))).toEqual(
      expected,
    );
  },
);

import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { type DrawnEvent, events } from '../test-support/catalogue-items.ts';
import { JOBS } from '../test-support/job-catalogue.ts';
import { Simulated, type SimulatedOptions } from '../test-support/simulated.ts';
import { TIME_JOBS } from '../test-support/time-jobs.ts';
import { graphOf, type HarnessJob } from './job-harness.ts';

const limits = fc.record({ maxFires: fc.constantFrom(1, 2, 5), timerPage: fc.constantFrom(1, 3, 100) });
const settings = fc.record({ batchSize: fc.integer({ min: 1, max: 7 }), partitions: fc.constantFrom(2, 3) });

/** What each sink gets on each partition. */
async function resultsOf(job: HarnessJob, drawn: readonly DrawnEvent[], options: SimulatedOptions) {
  const sources = graphOf(job).sources.length;
  const sinks: Record<string, unknown[]> = {};
  const run = new Simulated(job, {
    ...options,
    onOutput: ({ sink, value, timestamp }, { partition }) =>
      void (sinks[`${sink} ${partition}`] ??= []).push([value, timestamp]),
  });
  let time = -20;
  for (const { source, key, step, amount } of drawn) {
    time += step;
    run.keyed(key, { key, amount, time }, time, source % sources);
    await run.job.run();
  }
  for (let source = 0; source < sources; source++) run.end(source);
  await run.job.flush();
  return { sinks, late: run.late() };
}

describe.each(Object.entries({ ...JOBS, ...TIME_JOBS }))('on several partitions: %s', (_name, job) => {
  test('where few timers fire in a commit, and few are in memory, results and their order are the same', async () => {
    await fc.assert(
      fc.asyncProperty(events, limits, settings, async (drawn, some, options) => {
        const expected = await resultsOf(job, drawn, options);
        expect(await resultsOf(job, drawn, { ...options, ...some })).toEqual(expected);
      }),
      { numRuns: 10, seed: 5 },
    );
  });
});

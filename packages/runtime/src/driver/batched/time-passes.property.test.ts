import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { bySink, events, itemsOf, timedItems } from '../../test-support/catalogue-items.ts';
import { JOBS } from '../../test-support/job-catalogue.ts';
import { type Misfortune, runOverlapped } from '../../test-support/overlapped-run.ts';
import { RAW_TIME_JOBS } from '../../test-support/raw-time-jobs.ts';
import { TIME_JOBS } from '../../test-support/time-jobs.ts';
import { graphOf, type HarnessItem, type HarnessJob } from '../../testing/job-harness.ts';

const runs = fc.record({
  maxFires: fc.constantFrom(1, 2, 7),
  timerPage: fc.constantFrom(1, 3, 10_000),
  batchSize: fc.constantFrom(1, 3, 50),
  overlap: fc.boolean(),
  cachedBytes: fc.constantFrom(0, 1_000, Infinity),
});

/** With all timers in memory, and as many as are due firing in one commit. */
async function resultsOf(job: HarnessJob, items: readonly HarnessItem[]) {
  return bySink(await runOverlapped(() => graphOf(job), items, { batchSize: 4, delays: [0] }));
}

describe.each(Object.entries({ ...JOBS, ...TIME_JOBS }))('%s', (_name, job) => {
  const sources = graphOf(job).sources.length;

  test.each([
    ['', ['none']],
    [', a crash after every commit', ['lost after']],
    [', crashes and lost commits now and then', ['none', 'lost after', 'none', 'lost before', 'crash']],
  ] satisfies [string, Misfortune[]][])(
    'few timers fire in a commit, few are in memory%s: equals a run without limits',
    async (_what, misfortunes) => {
      const property = fc.asyncProperty(events, runs, async (drawn, run) => {
        const items = itemsOf(drawn, sources);
        const expected = await resultsOf(job, items);
        const passed = await runOverlapped(() => graphOf(job), items, {
          ...run,
          misfortunes,
          delays: [0, 2],
        });
        expect(bySink(passed)).toEqual(expected);
        expect(passed.backend.storedTimers()).toEqual([]);
      });
      await fc.assert(property, { numRuns: 8, seed: 20261130 });
    },
  );

  test('functions that fail now and then change nothing', async () => {
    const failures = fc.array(fc.integer({ min: 1, max: 40 }), { maxLength: 4 });
    const property = fc.asyncProperty(events, runs, failures, async (drawn, run, failing) => {
      let outputs = 0;
      const fail = () => {
        if (failing.includes(++outputs)) throw new Error(`output ${outputs} failed`);
      };
      const items = itemsOf(drawn, sources);
      const expected = await resultsOf(job, items);
      const passed = await runOverlapped(() => graphOf(job, fail), items, {
        ...run,
        attempts: failing.length + 1,
        delays: [0],
        misfortunes: ['none', 'lost after', 'none', 'none', 'crash'],
      });
      expect(bySink(passed)).toEqual(expected);
    });
    await fc.assert(property, { numRuns: 8, seed: 20261130 });
  });
});

describe.each(Object.entries(RAW_TIME_JOBS))('sources that bring time themselves: %s', (_name, job) => {
  test.each([
    ['', ['none']],
    [', a crash after every commit', ['lost after']],
  ] satisfies [string, Misfortune[]][])(
    'few timers fire in a commit, few are in memory%s: equals a run without limits',
    async (_what, misfortunes) => {
      const property = fc.asyncProperty(timedItems, runs, async (items, run) => {
        const expected = await resultsOf(job, items);
        const passed = await runOverlapped(() => graphOf(job), items, { ...run, misfortunes, delays: [0] });
        expect(bySink(passed)).toEqual(expected);
      });
      await fc.assert(property, { numRuns: 25, seed: 20261130 });
    },
  );
});

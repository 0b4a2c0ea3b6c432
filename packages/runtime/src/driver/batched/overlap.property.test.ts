import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { bySink, events, itemsOf } from '../../test-support/catalogue-items.ts';
import { JOBS } from '../../test-support/job-catalogue.ts';
import { type Misfortune, type OverlappedRun, runOverlapped } from '../../test-support/overlapped-run.ts';
import { graphOf, runChained } from '../../testing/index.ts';

/** Bytes in which few cells have room. */
const TINY = 1_000;

const delays = fc.array(fc.nat(40), { minLength: 1, maxLength: 6 });
const misfortunes = fc.array(
  fc.constantFrom<Misfortune>('none', 'none', 'crash', 'rejected', 'lost before', 'lost after'),
  { maxLength: 7 },
);

/** Which outputs fail, of all that are tried. */
const failures = fc.uniqueArray(fc.integer({ min: 1, max: 120 }), { maxLength: 12 });

const RUNS: Record<string, OverlappedRun> = {
  'batches of 1, everything cached': { batchSize: 1, delays: [], cachedBytes: Infinity },
  'batches of 3, nothing cached': { batchSize: 3, delays: [], cachedBytes: 0 },
  'batches of 7, little cached': { batchSize: 7, delays: [], cachedBytes: TINY },
};

describe.each(Object.entries(JOBS))('%s', (_name, job) => {
  const sources = graphOf(job).sources.length;

  test.each(Object.entries(RUNS))('%s: equals the chained run', async (_run, run) => {
    await fc.assert(
      fc.asyncProperty(events, delays, async (drawn, late) => {
        const items = itemsOf(drawn, sources);
        const expected = bySink(await runChained(graphOf(job), items));
        const overlapped = await runOverlapped(() => graphOf(job), items, { ...run, delays: late });
        expect(bySink(overlapped)).toEqual(expected);
        expect(overlapped.backend.storedTimers()).toEqual([]);
      }),
      { numRuns: 10, seed: 20261130 },
    );
  });

  test.each(Object.entries(RUNS))(
    '%s, with failing functions, crashes, commits that are rejected or lost: equals the chained run',
    async (_run, run) => {
      const property = fc.asyncProperty(
        events,
        delays,
        misfortunes,
        failures,
        async (drawn, late, bad, failing) => {
          let outputs = 0;
          const fail = () => {
            if (failing.includes(++outputs)) throw new Error(`output ${outputs} failed`);
          };
          const items = itemsOf(drawn, sources);
          const expected = bySink(await runChained(graphOf(job), items));
          const overlapped = await runOverlapped(() => graphOf(job, fail), items, {
            ...run,
            delays: late,
            misfortunes: [...bad, 'none'], // One must come through.
            attempts: failing.length + 1,
          });
          expect(bySink(overlapped)).toEqual(expected);
        },
      );
      await fc.assert(property, { numRuns: 10, seed: 20261130 });
    },
  );
});

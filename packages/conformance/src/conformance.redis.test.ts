import { describe, expect, test } from '@jest/globals';
import { CATALOGUE } from './catalogue.ts';
import { slotSinks } from './driver/redis/results.ts';
import { startJob } from './driver/redis/start-job.ts';
import { staysInPartitions } from './driver/redis/supported.ts';
import { DRIVERS, redisDrivers } from './drivers.ts';
import { attempt, expectationOf, judge } from './suite.ts';
import { useBench } from './test-support/use-bench.ts';
import { titleOf, type Variant, variantsOf } from './variant.ts';

/** Longer than a run may take, so that the run itself is told to have taken too long. */
const TIMEOUT = 150_000;

const bench = useBench();
const variants = CATALOGUE.flatMap(variantsOf);

function titled(some: readonly Variant[]): { title: string; variant: Variant }[] {
  return some.map((variant) => ({ title: titleOf(variant), variant }));
}

// Many at the same time: they wait for Redis, and those with a crash for the end of a lease.
describe.each(redisDrivers(bench).map((driver) => ({ name: driver.name, driver })))('$name', ({ driver }) => {
  test.concurrent.each(titled(variants.filter((variant) => driver.supports(variant))))(
    '$title',
    async ({ variant }) => {
      const expected = await expectationOf(variant, DRIVERS);
      const result = judge(variant, expected, await attempt(driver, variant));
      expect(result.differences.join('\n')).toBe('');
    },
    TIMEOUT,
  );
});

describe('refused at the start, and nothing of it is done', () => {
  test.concurrent.each(titled(variants.filter((variant) => !staysInPartitions(variant))))(
    '$title',
    async ({ variant }) => {
      const run = await bench.prepare(variant);
      await expect(startJob(variant, run, slotSinks(new Set()), {})).rejects.toMatchObject({
        code: 'RS_UNSUPPORTED',
        details: { operator: expect.any(String) },
      });
      expect(await run.untouched()).toBe(true);
    },
    TIMEOUT,
  );
});

import { describe, expect, test } from '@jest/globals';
import { CATALOGUE } from './catalogue.ts';
import { DRIVERS } from './drivers.ts';
import { attempt, expectationOf, judge } from './suite.ts';
import { titleOf, type Variant, variantsOf } from './variant.ts';

const TIMEOUT = 60_000;

const variants = CATALOGUE.flatMap(variantsOf);
const expectations = new Map<Variant, ReturnType<typeof expectationOf>>();

/** What a variant must give; a driver that decides on it runs once. */
function expected(variant: Variant): ReturnType<typeof expectationOf> {
  const known = expectations.get(variant) ?? expectationOf(variant, DRIVERS);
  expectations.set(variant, known);
  return known;
}

describe.each(DRIVERS.map((driver) => ({ name: driver.name, driver })))('$name', ({ driver }) => {
  const supported = variants.filter((variant) => driver.supports(variant));

  test.each(supported.map((variant) => ({ title: titleOf(variant), variant })))(
    '$title',
    async ({ variant }) => {
      const result = judge(variant, await expected(variant), await attempt(driver, variant));
      expect(result.differences.join('\n')).toBe('');
    },
    TIMEOUT,
  );
});

test('only the run that cannot wait leaves out cases, and only those that need it', () => {
  const leftOut = DRIVERS.flatMap((driver) =>
    variants
      .filter((variant) => !driver.supports(variant))
      .map((variant) => ({ driver: driver.name, variant })),
  );
  expect(new Set(leftOut.map(({ driver }) => driver))).toEqual(new Set(['memory eager']));
  expect(leftOut.every(({ variant }) => variant.async === true)).toBe(true);
});

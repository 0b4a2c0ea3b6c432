import { describe, expect, test } from '@jest/globals';
import { CATALOGUE } from './catalogue.ts';
import { DRIVERS } from './drivers.ts';
import { expectationOf } from './suite.ts';
import { titleOf, variantsOf } from './variant.ts';

const variants = CATALOGUE.flatMap(variantsOf);

describe('the catalogue', () => {
  test('has no two cases with one name', () => {
    const titles = variants.map(titleOf);
    expect(titles.filter((title, i) => titles.indexOf(title) !== i)).toEqual([]);
  });

  test('has no two drivers with one name', () => {
    expect(new Set(DRIVERS.map(({ name }) => name)).size).toBe(DRIVERS.length);
  });

  test('covers every area', () => {
    const areas = [...new Set(CATALOGUE.map(({ area }) => area))].sort();
    expect(areas).toEqual([
      'async',
      'evictors',
      'exchange',
      'keyed',
      'lateness',
      'patterns',
      'random',
      'several inputs',
      'state',
      'stateless',
      'time',
      'timers',
      'triggers',
      'windows',
    ]);
  });

  const computed = variants.filter(
    ({ expected }) => expected === 'agreement' || typeof expected === 'function',
  );
  test.each(computed.map((variant) => ({ title: titleOf(variant), variant })))(
    'nothing is compared with nothing: $title',
    async ({ variant }) => {
      const expectation = await expectationOf(variant, DRIVERS);
      if ('error' in expectation) throw expectation.error;
      const sizes = Object.values(expectation.outcome.sinks).map(({ length }) => length);
      expect(sizes.length).toBeGreaterThan(0);
      expect(Math.min(...sizes)).toBeGreaterThan(10);
    },
    60_000,
  );

  test('a case that must fail says so by its code alone', () => {
    const failing = CATALOGUE.filter(({ fails }) => fails !== undefined);
    expect(failing.map(({ expected }) => expected)).toEqual(failing.map(() => ({})));
  });
});

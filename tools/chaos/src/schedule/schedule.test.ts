import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { CAST as MQ } from '../mq/load/cast.ts';
import { CAST as RUNTIME } from '../runtime/load/cast.ts';
import { scheduleOf } from './schedule.ts';

describe.each([
  ['mq', MQ],
  ['runtime', RUNTIME],
])('of %s', (_, cast) => {
  const options = { lease: 1_800, partitions: 8, cast };
  const minute = (seed: number) => scheduleOf({ ...options, seed, lasts: 60_000 });

  test('the same seed gives the same schedule, another one another', () => {
    expect(minute(5)).toEqual(minute(5));
    expect(minute(5)).not.toEqual(minute(6));
  });

  test('a longer run goes on as the shorter one began', () => {
    const short = scheduleOf({ ...options, seed: 5, lasts: 10_000 });
    expect(minute(5).slice(0, short.length)).toEqual(short);
  });

  test('in a minute there is every kind of fault, whatever the seed', () => {
    fc.assert(
      fc.property(fc.nat(), (seed) => {
        const kinds = new Set(minute(seed).map(({ fault }) => fault.kind));
        expect(kinds).toEqual(new Set(cast.kinds));
      }),
    );
  });

  test('in ten seconds there are at least two, none begins later, and workers that are stopped are stopped past their lease or well within it', () => {
    fc.assert(
      fc.property(fc.nat(), (seed) => {
        const short = scheduleOf({ ...options, seed, lasts: 10_000 });
        expect(short.length).toBeGreaterThanOrEqual(2);
        expect(Math.max(...short.map(({ at }) => at))).toBeLessThan(10_000);
        for (const { fault } of minute(seed)) {
          if (fault.kind === 'freeze') expect(fault.lasts).toBeGreaterThan(options.lease * 1.2);
          if (fault.kind === 'nap') expect(fault.lasts).toBeLessThanOrEqual(options.lease * 0.5);
        }
      }),
    );
  });

  test('sometimes two begin together', () => {
    const gaps = minute(1).map(({ at }, index, all) => at - (all[index - 1]?.at ?? -Infinity));
    expect(gaps.some((gap) => gap <= 400)).toBe(true);
    expect(gaps.some((gap) => gap > options.lease + 1_000)).toBe(true);
  });
});

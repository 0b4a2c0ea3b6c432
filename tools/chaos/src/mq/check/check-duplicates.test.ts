import { describe, expect, test } from '@jest/globals';
import type { History, Tenure } from '../history/history.ts';
import { closing, entry, fault, handling, history, namesOf, tenure } from '../test-support/histories.ts';
import { checkDuplicates } from './check-duplicates.ts';

const [message] = namesOf('key-1', 1).map((name) => entry(4, 100, name));
if (message === undefined) throw new Error('one message');
const next = { incarnation: 'consumer-1#1', epoch: 2 };
const [first, again] = [handling(message, 1_000), handling(message, 4_000, next)];

/** The message was handled at 1.0 s, its process lost the partition so, and another handled it at 4.0 s. */
function after(ended: Partial<Tenure>, facts: Partial<History> = {}) {
  return checkDuplicates(
    history({
      log: [message as NonNullable<typeof message>],
      handlings: [first, again],
      tenures: [tenure(4, 500, ended), tenure(4, 3_900, next)],
      ...facts,
    }),
  );
}

test('no duplicates', () => {
  const found = checkDuplicates(history({ handlings: [first] }));
  expect(found).toMatchObject({ total: 0, violations: [] });
});

describe('explained', () => {
  test.each([
    ['crash', 'killed'],
    ['lease', 'lost'],
    ['group', 'ungrouped'],
  ] as const)('by %s, when the partition was %s right after', (reason, how) => {
    expect(after({ until: 1_200, how })).toMatchObject({
      total: 1,
      byReason: { [reason]: 1 },
      violations: [],
    });
  });

  test('by a close that left the handler behind', () => {
    const closings = [closing(2_000, { at: 900 })];
    expect(after({ until: 1_005, how: 'released' }, { closings }).byReason.stop).toBe(1);
    expect(after({ until: 1_500, how: 'ended' }, { closings }).byReason.stop).toBe(1);
  });

  test('by a group that was destroyed between the two', () => {
    const destroyed = (at: number, partition: number) => ({
      disturbances: [fault('destroyGroup', at, at, { partition })],
    });
    expect(after({ until: 3_000, how: 'released' }, destroyed(2_500, 4)).byReason.group).toBe(1);
    expect(after({ until: 3_000, how: 'released' }, destroyed(2_500, 5)).violations).toHaveLength(1);
    expect(after({ until: 3_000, how: 'released' }, destroyed(4_500, 4)).violations).toHaveLength(1);
  });

  test('by a crash later on, when the outcome could not be stored until then', () => {
    const lateCrash = { until: 3_500, how: 'killed' } as const;
    expect(after(lateCrash).violations).toHaveLength(1);
    const cut = (worker: 'consumer-0' | 'consumer-1') => ({
      disturbances: [fault('swallow', 900, 3_000, { worker })],
    });
    expect(after(lateCrash, cut('consumer-0'))).toMatchObject({ byReason: { crash: 1 }, violations: [] });
    expect(after(lateCrash, cut('consumer-1')).violations).toHaveLength(1);
    const down = { disturbances: [fault('crashServer', 1_005, 3_000)] };
    expect(after(lateCrash, down).violations).toEqual([]);
  });

  test('when it is the later success that did not count: its process was stopped meanwhile', () => {
    const stopped = { ...first, end: 6_000 };
    const facts = {
      handlings: [stopped, again],
      disturbances: [fault('freeze', 1_005, 5_990, { incarnation: 'consumer-0#1' })],
    };
    expect(after({ until: 6_010, how: 'lost' }, facts)).toMatchObject({
      byReason: { lease: 1 },
      violations: [],
    });
  });
});

describe('not explained', () => {
  test('by a partition that was given back in order', () => {
    expect(after({ until: 1_200, how: 'released' })).toMatchObject({
      total: 1,
      violations: [{ promise: 'every duplicate is explained' }],
    });
  });

  test('by a cut connection or a server that was away alone', () => {
    const disturbances = [
      fault('swallow', 900, 3_000, { worker: 'consumer-0' }),
      fault('restartServer', 900, 3_000),
    ];
    expect(after({}, { disturbances }).violations).toHaveLength(1);
  });

  test('under one and the same epoch, whatever came of it later', () => {
    const twice = { handlings: [first, handling(message, 1_100)] };
    expect(after({}, twice).violations).toHaveLength(1);
  });

  test('when only one of three successes has a reason', () => {
    const third = handling(message, 8_000, { incarnation: 'consumer-2#1', epoch: 3 });
    const found = after({ until: 1_200, how: 'killed' }, { handlings: [first, again, third] });
    expect(found).toMatchObject({ total: 2, byReason: { crash: 1 } });
    expect(found.violations).toHaveLength(1);
  });

  test('and the evidence has the whole story', () => {
    const [violation] = after({ until: 1_200, how: 'released' }).violations;
    expect(violation?.evidence).toEqual([
      '0.500 s  consumer-0#1 acquires partition 4, epoch 1',
      '1.000 s  consumer-0#1 starts 100-0, attempt 1, epoch 1',
      '1.010 s  consumer-0#1 ends 100-0: done',
      '1.200 s  consumer-0#1: partition 4, epoch 1, released',
      '3.900 s  consumer-1#1 acquires partition 4, epoch 2',
      '4.000 s  consumer-1#1 starts 100-0, attempt 1, epoch 2',
      '4.010 s  consumer-1#1 ends 100-0: done',
    ]);
  });
});

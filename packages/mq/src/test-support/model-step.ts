import fc from 'fast-check';

const any = fc.nat({ max: 1_000 });
const token = fc.constantFrom(...Array.from({ length: 9 }, () => 'a'), 'b');
const few = fc.array(any, { maxLength: 3 });
const count = fc.integer({ min: 1, max: 4 });

/** What a script is called with, or what others do to Redis. Numbers choose among what there is when it is done. */
export const modelStep = fc.oneof(
  { weight: 12, arbitrary: fc.record({ do: fc.constant('send' as const), what: any }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('redeliver' as const), what: any }) },
  { weight: 8, arbitrary: fc.record({ do: fc.constant('acquire' as const), token, from: any }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('renew' as const), token }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('release' as const), token }) },
  { weight: 6, arbitrary: fc.record({ do: fc.constant('takeOver' as const), token, cursor: any, count }) },
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constant('load' as const), ids: few, budget: fc.nat({ max: 30 }) }),
  },
  {
    weight: 16,
    arbitrary: fc.record({
      do: fc.constant('fetch' as const),
      token,
      after: any,
      again: any,
      count,
      budget: fc.integer({ min: 1, max: 120 }),
      step: fc.integer({ min: 1, max: 3 }),
      unconfirmed: fc.constantFrom(...Array.from({ length: 9 }, () => 0), 1, -1),
    }),
  },
  {
    weight: 16,
    arbitrary: fc.record({
      do: fc.constant('settle' as const),
      token,
      seq: fc.constantFrom(...Array.from({ length: 9 }, () => 1), 0, 2),
      low: any,
      started: any,
      done: few,
      doneAgain: few,
      retried: few,
      dead: few,
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('meet' as const), member: any, leave: fc.boolean() }) },
  // What others do.
  { weight: 1, arbitrary: fc.record({ do: fc.constant('expire lease' as const) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('set clock back' as const), member: any }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('expire member' as const), member: any }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('read as another' as const), count }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('destroy group' as const) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('move group' as const), to: any }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('trim' as const), to: fc.nat({ max: 3 }) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('remove' as const), what: any }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('delete stream' as const), restart: fc.boolean() }) },
);
export type ModelStep = typeof modelStep extends fc.Arbitrary<infer T> ? T : never;

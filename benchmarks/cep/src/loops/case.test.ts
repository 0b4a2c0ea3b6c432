import { measureCase, type Probe } from '@rs/bench-harness';
import { describe, expect, test } from '@jest/globals';
import { loopCase } from './case.ts';
import { heldLoop } from './held.ts';
import { loopInTime } from './in-time.ts';
import type { Signal } from './input.ts';
import { limitedLoops } from './limited.ts';
import { waitingRuns } from './waiting.ts';
import type { Finder, LoopWork } from './work.ts';

/** Each look at the clock is one millisecond later, and at the heap 1 kB higher. */
function probe(): Probe {
  let [now, heap] = [0, 0];
  return {
    now: () => now++,
    heapUsed: () => 1024 * heap++,
    rssMb: () => 0,
    collectGarbage: () => {},
  };
}

describe.each([loopInTime(4_000), heldLoop(2_000), limitedLoops(1_500), waitingRuns(2_000)])(
  '$name',
  (work) => {
    test('the matcher finds what is expected, at all sizes', async () => {
      const loops = loopCase(work, probe());
      const { variants, extra } = await loops.open();
      const measured = await measureCase(variants, 1, loops.figures);
      expect(measured.map(({ role, records }) => [role, records / work.events])).toEqual([
        ['limit', 4],
        ['aside', 1],
        ['aside', 2],
        ['ours', 4],
      ]);
      // A millisecond for each; the heap is looked at once before, and eight times.
      expect(measured[1]?.figures).toEqual({ nsPerEvent: 1e6 / work.events, heldKb: 8 });
      expect(extra?.()).toEqual({ timeRatio: 0.25, heldRatio: 1 });
    });

    test('there is something to find', () => {
      expect(resultOf(work, work.byHand())).toMatch(/^[1-9]\d* loops, /);
    });
  },
);

test('the limit is reached', () => {
  expect(resultOf(limitedLoops(1_500), limitedLoops(1_500).byHand())).toMatch(/dropped [1-9]\d\d/);
});

test('a wrong result fails the run', async () => {
  const wrong: Finder = { take: (_: Signal) => {}, result: () => 'nothing' };
  const { variants } = await loopCase({ ...heldLoop(10), byMatcher: () => wrong }, probe()).open();
  await expect(measureCase(variants, 1, {})).rejects.toThrow(
    'wrong result of @rs 10: nothing; expected: 1 loops',
  );
});

function resultOf(work: LoopWork, finder: Finder): string {
  for (const signal of work.signals(work.events)) finder.take(signal);
  return finder.result();
}

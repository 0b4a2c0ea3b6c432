import { expect, test } from '@jest/globals';
import { isRsError } from '@rs/core';
import * as fc from 'fast-check';
import { events as anyEvents, plan as anyPlan } from '../test-support/arbitrary-plan.ts';
import { expected } from '../test-support/oracle.ts';
import { patternOf } from '../test-support/plan-pattern.ts';
import type { Plan, PlanEvent } from '../test-support/plan.ts';
import { PatternMatcher } from './pattern-matcher.ts';
import type { Match, PartialMatch } from './match.ts';

type Positioned = PlanEvent & { readonly position: number };

/** `a:0 b:2 @7`, as the oracle writes it. */
function shown(match: Match<PlanEvent, object> | PartialMatch<PlanEvent, object>): string {
  const takes = Object.entries(match.events as Record<string, readonly Positioned[]>).flatMap(
    ([stage, bound]) => bound.map(({ position }) => ({ stage, position })),
  );
  takes.sort((a, b) => a.position - b.position);
  expect(takes.map(({ position }) => position)).toEqual(
    match.sequence.map((event) => (event as Positioned).position),
  );
  return `${takes.map(({ stage, position }) => `${stage}:${position}`).join(' ')} @${match.timestamp}`;
}

/**
 * What the matcher finds, when it goes through JSON once, before the event at `restoreAt`, and the condition that is asked
 * as the `failsAt`th about an event throws, after which the event is given again.
 */
function found(
  plan: Plan,
  events: readonly PlanEvent[],
  times: readonly number[],
  end: number,
  restoreAt: number,
  failsAt: number,
) {
  let left = Infinity;
  const pattern = patternOf(plan, () => {
    if (left-- === 0) throw new Error('fails once');
  });
  // With the few runs of a small input, the way for many would not be taken.
  if (events.length % 2 === 0) pattern.program().step.probeFrom = 1;
  const timedOut: string[] = [];
  const options = { onTimeout: (partial: PartialMatch<PlanEvent, object>) => timedOut.push(shown(partial)) };
  let matcher = new PatternMatcher(pattern, options);
  const steps: string[][] = [];
  events.forEach((event, position) => {
    if (position === restoreAt) {
      const document = JSON.parse(JSON.stringify(matcher.export())) as ReturnType<typeof matcher.export>;
      matcher = new PatternMatcher(pattern, options);
      matcher.restore(document);
      expect(matcher.export()).toEqual(document);
    }
    const process = () => matcher.process({ ...event, position } as Positioned, times[position] ?? 0);
    left = failsAt;
    try {
      steps.push(process().map(shown));
    } catch (error) {
      if (!isRsError(error, 'RS_USER_FUNCTION_FAILED')) throw error;
      left = Infinity;
      steps.push(process().map(shown));
    }
  });
  steps.push(matcher.advanceTime(end).map(shown));
  const reported = [...timedOut];
  matcher.flush();
  // Nothing is held that nothing needs.
  expect(matcher.counters).toMatchObject({ liveRuns: 0, runs: 0, events: 0, heldMatches: 0 });
  return { steps, timedOut: reported };
}

test('finds what the definition says', () => {
  fc.assert(
    fc.property(
      anyPlan,
      anyEvents,
      fc.nat(7),
      fc.nat(9),
      fc.nat(12),
      (plan, events, restoreAt, rest, failsAt) => {
        let time = 0;
        const times = events.map(({ wait }) => (time += wait));
        const end = rest === 9 ? Infinity : time + rest;
        expect(found(plan, events, times, end, restoreAt, failsAt)).toEqual(
          expected(plan, events, times, end),
        );
      },
    ),
    { numRuns: 20_000 },
  );
});

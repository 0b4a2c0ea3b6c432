import { expect, test } from '@jest/globals';
import { isRsError } from '@rs/core';
import * as fc from 'fast-check';
import { events as anyEvents, plan as anyPlan } from '../test-support/arbitrary-plan.ts';
import { expected } from '../test-support/oracle.ts';
import { patternOf } from '../test-support/plan-pattern.ts';
import type { Plan, PlanEvent } from '../test-support/plan.ts';
import { PatternMatcher } from './pattern-matcher.ts';
import { stepOf } from './step.ts';
import type { Match, PartialMatch } from './match.ts';

type Positioned = PlanEvent & { readonly position: number };

/** `a:0 b:2 @7`, as the oracle writes it. Called so often that it does without `expect`, which is slow. */
function shown(match: Match<PlanEvent, object> | PartialMatch<PlanEvent, object>): string {
  const takes = Object.entries(match.events as Record<string, readonly Positioned[]>).flatMap(
    ([stage, bound]) => bound.map(({ position }) => ({ stage, position })),
  );
  takes.sort((a, b) => a.position - b.position);
  const sequence = match.sequence.map((event) => (event as Positioned).position);
  if (sequence.join() !== takes.map(({ position }) => position).join()) {
    throw new Error(`the sequence ${sequence.join()} does not have the events of the stages`);
  }
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
  if (events.length % 2 === 0) stepOf(pattern.program()).probeFrom = 1;
  const timedOut: string[] = [];
  const options = { onTimeout: (partial: PartialMatch<PlanEvent, object>) => timedOut.push(shown(partial)) };
  let matcher = new PatternMatcher(pattern, options);
  const steps: string[][] = [];
  events.forEach((event, position) => {
    if (position === restoreAt) {
      const text = JSON.stringify(matcher.export());
      matcher = new PatternMatcher(pattern, options);
      matcher.restore(JSON.parse(text) as ReturnType<typeof matcher.export>);
      if (JSON.stringify(matcher.export()) !== text)
        throw new Error('what was restored is not what was exported');
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
  const { liveRuns, runs, events: held, heldMatches } = matcher.counters;
  return { steps, timedOut: reported, left: liveRuns + runs + held + heldMatches };
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
        // Nothing is held that nothing needs.
        const outcome = { ...expected(plan, events, times, end), left: 0 };
        expect(found(plan, events, times, end, restoreAt, failsAt)).toEqual(outcome);
      },
    ),
    { numRuns: 20_000, seed: 2_026 },
  );
});

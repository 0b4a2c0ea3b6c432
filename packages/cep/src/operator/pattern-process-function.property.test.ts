import { expect, test } from '@jest/globals';
import * as fc from 'fast-check';
import { PatternMatcher } from '../matcher/pattern-matcher.ts';
import type { AnyMatch } from '../matcher/bindings.ts';
import { events as anyEvents, plan as anyPlan } from '../test-support/arbitrary-plan.ts';
import { KeyedHarness } from '../test-support/keyed-harness.ts';
import type { Plan, PlanEvent } from '../test-support/plan.ts';
import { patternOf } from '../test-support/plan-pattern.ts';
import type { KeyedMatch, KeyedPartialMatch } from './options.ts';
import { PatternProcessFunction } from './pattern-process-function.ts';

type Stages = Record<string, PlanEvent>;
type Event = PlanEvent & { readonly position: number };

/** What happens between two events. */
const accident = fc.constantFrom('nothing', 'nothing', 'commit', 'undo', 'forget', 'restart');

const timedOutOutput = { name: 'timed-out' };

function functionOf(plan: Plan): PatternProcessFunction<string, PlanEvent, Stages> {
  return new PatternProcessFunction(patternOf(plan), { timedOutOutput, maxTrackedKeys: 1 });
}

/** What a matcher of its own finds in the events of a key, all in order. */
function expected(plan: Plan, events: readonly { readonly event: Event; readonly time: number }[]) {
  const timedOut: AnyMatch[] = [];
  const matcher = new PatternMatcher(patternOf(plan), { onTimeout: (partial) => timedOut.push(partial) });
  const matches = events.flatMap(({ event, time }) => matcher.process(event, time));
  return { matches: [...matches, ...matcher.flush()], timedOut };
}

/** Which events, without the bindings: those are compared by the tests of matchers. */
const shown = ({
  sequence,
  timestamp,
}: {
  readonly sequence: readonly unknown[];
  readonly timestamp: number;
}) => `${(sequence as Event[]).map(({ position }) => position).join(' ')}@${timestamp}`;

interface StoredMap {
  readonly map: readonly (readonly [string, readonly unknown[]])[];
}

/** What is stored and nothing needs, or needed and not stored. */
function problemsOf(state: Readonly<Record<string, unknown>>): string[] {
  return ['k', 'l'].flatMap((key) => {
    const entries = (name: string) => (state[`${key}/cep.${name}`] as StoredMap | undefined)?.map ?? [];
    const runs = new Map(entries('runs').map(([id, run]) => [Number(id), run]));
    const needed = new Set([...runs.values()].map((run) => Number(run[2])));
    const parents = new Set([...runs.values()].map((run) => Number(run[0])));
    const held = new Set(entries('held').map(([id]) => Number(id)));
    const events = new Set(entries('events').map(([seq]) => Number(seq)));
    const idle = [...runs].filter(
      ([id, run]) => (run[5] as unknown[]).length === 0 && !parents.has(id) && !held.has(id),
    );
    return [
      ...[...events].filter((seq) => !needed.has(seq)).map((seq) => `${key}: event ${seq} for nothing`),
      ...[...needed].filter((seq) => !events.has(seq)).map((seq) => `${key}: no event ${seq}`),
      ...[...parents, ...held].filter((id) => id >= 0 && !runs.has(id)).map((id) => `${key}: no run ${id}`),
      ...idle.map(([id]) => `${key}: run ${id} for nothing`),
    ];
  });
}

test('what is found does not depend on the order of arrival, on watermarks, or on what is undone or read again', () => {
  fc.assert(
    fc.property(
      anyPlan,
      anyEvents,
      fc.infiniteStream(fc.nat({ max: 8 })),
      fc.infiniteStream(accident),
      (plan, inputs, delays, accidents) => {
        let now = 0;
        const all = inputs.map((input, position) => {
          now += input.wait;
          const [delay = 0] = [...delays.take(1)];
          const key = position % 3 === 0 ? 'k' : 'l';
          return { key, event: { ...input, position }, time: now, arrives: now + delay };
        });
        // Equal times are processed in the order of arrival.
        const arriving = all.toSorted((a, b) => a.arrives - b.arrives);
        const ordered = arriving.toSorted((a, b) => a.time - b.time);

        const harness = new KeyedHarness<PlanEvent, KeyedMatch<string, PlanEvent, Stages>>(functionOf(plan));
        let done: (() => void)[] = [];
        for (const [i, { key, event, time, arrives }] of arriving.entries()) {
          const step = (): void => {
            harness.element(key, event, time);
            const next = arriving[i + 1];
            // No event can come later than its delay: what is not there by now, and older, never comes.
            const open = arriving.slice(i + 1).map((one) => one.time);
            if (next === undefined || next.arrives > arrives) harness.advance(Math.min(arrives, ...open) - 1);
          };
          step();
          done.push(step);
          const [happens] = [...accidents.take(1)];
          if (happens === 'undo') {
            harness.undo();
            for (const again of done) again();
          } else if (happens === 'forget') harness.forget();
          else if (happens === 'restart') harness.restart(functionOf(plan));
          else if (happens === 'commit') harness.commit();
          if (happens !== 'nothing' && happens !== 'undo') {
            done = [];
            expect(problemsOf(harness.state())).toEqual([]);
          }
        }
        harness.advance(Infinity);

        for (const key of ['k', 'l']) {
          const { matches, timedOut } = expected(
            plan,
            ordered.filter((one) => one.key === key),
          );
          const found = harness.results.filter((one) => one.key === key);
          expect(found.map(({ value }) => shown(value))).toEqual(matches.map(shown));
          const out = (harness.outputs.get('timed-out') ?? []).filter((one) => one.key === key);
          const partials = out.map(({ value }) => value as KeyedPartialMatch<string, PlanEvent, Stages>);
          expect(partials.map(shown)).toEqual(timedOut.map(shown));
          for (const { value, timestamp } of found) expect(timestamp).toBeGreaterThanOrEqual(value.timestamp);
        }
      },
    ),
    { numRuns: 2_000, seed: 77 },
  );
});

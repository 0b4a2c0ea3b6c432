import * as fc from 'fast-check';
import type { Edge, Plan, PlanCondition, PlanElement, PlanEvent } from './plan.ts';
import { ENDLESS } from './plan.ts';

interface Raw {
  readonly edge: Edge;
  readonly count: readonly [number, number];
  readonly optional: boolean;
  readonly inner: 'relaxed' | 'consecutive' | 'combinations';
  readonly negations: PlanElement['negations'];
  readonly condition: PlanCondition;
  readonly until: PlanCondition | undefined;
  readonly greedy: boolean;
  readonly inside: readonly Raw[];
}

const condition: fc.Arbitrary<PlanCondition> = fc.record({
  types: fc.constantFrom('a', 'b', 'ab', 'bc', 'abc'),
  rising: fc.constantFrom<PlanCondition['rising']>(false, false, false, true, 'bound'),
});

const seldom = fc.constantFrom(false, false, false, true);

function raw(depth: number): fc.Arbitrary<Raw> {
  return fc.record({
    edge: fc.constantFrom<Edge>('next', 'followedBy', 'followedBy', 'followedByAny'),
    count: fc.constantFrom(
      [1, 1],
      [1, 1],
      [1, 1],
      [2, 2],
      [1, 2],
      [2, 3],
      [1, ENDLESS],
      [1, ENDLESS],
      [2, ENDLESS],
    ),
    optional: seldom,
    inner: fc.constantFrom('relaxed', 'relaxed', 'consecutive', 'combinations'),
    negations: fc.constantFrom(0, 0, 0, 1).chain((count) =>
      fc.array(fc.record({ kind: fc.constantFrom('notNext', 'notFollowedBy'), condition }), {
        minLength: count,
        maxLength: count,
      }),
    ),
    condition,
    until: fc.option(condition, { nil: undefined, freq: 3 }),
    greedy: seldom,
    inside:
      depth === 0
        ? fc.constant([])
        : fc.oneof(
            { weight: 4, arbitrary: fc.constant([]) },
            { weight: 1, arbitrary: fc.array(raw(depth - 1), { minLength: 1, maxLength: 2 }) },
          ),
  });
}

/** Names stages, and leaves out what a pattern must not have. */
class Planner {
  #next = 0;

  sequence(all: readonly Raw[], isGroup: boolean, endMayWait: boolean): PlanElement[] {
    const elements = all.map((one, index) =>
      this.#element(
        one,
        index === all.length - 1 ? (isGroup ? 'group-end' : endMayWait ? 'any' : 'end') : 'any',
      ),
    );
    const allOptional = isGroup && elements.every((element) => element.optional);
    return allOptional
      ? elements.map((element, i) => (i === 0 ? { ...element, optional: false } : element))
      : elements;
  }

  #element(one: Raw, place: 'any' | 'end' | 'group-end'): PlanElement {
    const [min, max] = one.count;
    const loops = max > 1;
    const negations =
      one.optional || place === 'group-end'
        ? []
        : one.negations.filter(({ kind }) => place === 'any' || kind === 'notNext');
    const base = {
      edge: one.edge,
      min,
      max,
      optional: one.optional,
      inner: loops ? one.inner : 'relaxed',
      negations,
    } as const;
    if (one.inside.length > 0) return { ...base, elements: this.sequence(one.inside, true, false) };
    return {
      ...base,
      name: `s${this.#next++}`,
      condition: one.condition,
      until: max === ENDLESS ? one.until : undefined,
      greedy: loops && one.greedy,
    };
  }
}

function names(elements: readonly PlanElement[]): string[] {
  return elements.flatMap((element) => ('name' in element ? [element.name] : names(element.elements)));
}

export const plan: fc.Arbitrary<Plan> = fc
  .record({
    elements: fc.oneof(
      { weight: 3, arbitrary: fc.array(raw(2), { minLength: 1, maxLength: 2, size: 'max' }) },
      { weight: 2, arbitrary: fc.array(raw(1), { minLength: 2, maxLength: 5, size: 'max' }) },
    ),
    within: fc.option(
      fc.record({
        millis: fc.integer({ min: 1, max: 9 }),
        scope: fc.constantFrom('first-to-last' as const, 'previous-to-current' as const),
      }),
      { nil: undefined },
    ),
    skip: fc.constantFrom('noSkip', 'noSkip', 'skipToNext', 'skipPastLastEvent', 'first', 'last'),
    stage: fc.nat(9),
  })
  .map(({ elements: all, within, skip, stage }) => {
    const elements = new Planner().sequence(all, false, within !== undefined);
    const known = names(elements);
    const to = known[stage % known.length] ?? '';
    return {
      elements,
      within,
      skip: skip === 'first' || skip === 'last' ? { to: skip, stage: to } : skip,
    };
  });

export const events: fc.Arbitrary<PlanEvent[]> = fc.array(
  fc.record({
    type: fc.constantFrom('a', 'b', 'a', 'b', 'a', 'b', 'c', 'x'),
    value: fc.integer({ min: 0, max: 3 }),
    wait: fc.constantFrom(0, 1, 1, 1, 3),
  }),
  { minLength: 2, maxLength: 8, size: 'max' },
);

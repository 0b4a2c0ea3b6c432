import * as fc from 'fast-check';
import { Pattern } from '../pattern.ts';
import { PatternQuantifier } from '../pattern-quantifier.ts';
import { PatternSequence } from '../pattern-sequence.ts';

interface Step {
  readonly takes: string;
  readonly edge: 'next' | 'followedBy' | 'followedByAny';
  readonly quantifier: PatternQuantifier;
}

/** What a step takes may overlap with what others take. */
const step: fc.Arbitrary<Step> = fc.record({
  takes: fc.constantFrom('a', 'b', 'c', 'ab', 'bc'),
  edge: fc.constantFrom('next', 'followedBy', 'followedByAny'),
  quantifier: fc.constantFrom(
    PatternQuantifier.exactly(1),
    PatternQuantifier.exactly(1),
    PatternQuantifier.exactly(2),
    PatternQuantifier.times(0, 2),
    PatternQuantifier.times(2, 3),
    PatternQuantifier.times(0, 0),
    PatternQuantifier.optional(),
    PatternQuantifier.oneOrMore(),
    PatternQuantifier.zeroOrMore(),
    PatternQuantifier.atLeast(2),
  ),
});

/** Sequences of one to four steps. */
export const arbitrarySequence: fc.Arbitrary<PatternSequence<string>> = fc
  .record({
    steps: fc.array(step, { minLength: 1, maxLength: 4 }),
    within: fc.option(fc.integer({ min: 1, max: 12 }), { nil: undefined }),
  })
  .map(({ steps, within }) => {
    const sequence = PatternSequence.begin<string>();
    steps.forEach(({ takes, edge, quantifier }, at) => {
      const method = at === 0 ? 'where' : edge;
      sequence[method](
        `${at}`,
        Pattern.of((event) => takes.includes(event.charAt(0))),
      ).times(quantifier);
    });
    return within === undefined ? sequence : sequence.within(within);
  });

export interface TimedEvent {
  readonly type: string;
  /** May be negative: events come out of order. */
  readonly wait: number;
}

export const arbitraryEvent: fc.Arbitrary<TimedEvent> = fc.record({
  type: fc.constantFrom('a', 'b', 'c', 'x'),
  wait: fc.integer({ min: -2, max: 4 }),
});

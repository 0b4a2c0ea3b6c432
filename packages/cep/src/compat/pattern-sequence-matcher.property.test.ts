import { expect, test } from '@jest/globals';
import * as fc from 'fast-check';
import type { CompleteMatch } from './complete-match.ts';
import type { PartialMatchState } from './partial-match.ts';
import { PatternSequenceMatcher } from './pattern-sequence-matcher.ts';
import { type TimedEvent, arbitraryEvent, arbitrarySequence } from './test-support/arbitrary-sequence.ts';
import { OriginalMatcher, type OriginalMatch, type OriginalPartial } from './test-support/original.ts';

/** Few enough for what multiplies with each event. */
const events = fc.array(arbitraryEvent, { minLength: 1, maxLength: 9 });

/** `a0@5 b1@7`: each event once, so that it can be told where it went. */
function timed(given: readonly TimedEvent[]): { readonly event: string; readonly time: number }[] {
  let time = 0;
  return given.map(({ type, wait }, at) => ({ event: `${type}${at}`, time: (time += wait) }));
}

const asMatch = ({ events: list, byStep, start, end }: OriginalMatch) => ({
  events: list,
  eventsByStep: Object.fromEntries(byStep),
  startTs: start,
  endTs: end,
});

const asState = ({ byStep, start, step }: OriginalPartial): PartialMatchState<string> => ({
  startTimestamp: start,
  currentStep: step,
  eventsByStep: Object.fromEntries(byStep),
});

const plain = ({ events: list, eventsByStep, startTs, endTs }: CompleteMatch<string>) => ({
  events: list,
  eventsByStep,
  startTs,
  endTs,
});

test("finds what the original's algorithm finds, in its order, and keeps what that keeps", () => {
  fc.assert(
    fc.property(arbitrarySequence, events, (sequence, given) => {
      const matcher = new PatternSequenceMatcher(sequence);
      const original = new OriginalMatcher(sequence.steps, sequence.timeLimit);
      for (const { event, time } of timed(given)) {
        expect(matcher.process(event, time).map(plain)).toEqual(original.process(event, time).map(asMatch));
        expect(matcher.exportPartialMatches()).toEqual(original.partials.map(asState));
      }
    }),
    { numRuns: 2_000, seed: 20_261 },
  );
});

test('events of a match are those of its steps, one after the other', () => {
  fc.assert(
    fc.property(arbitrarySequence, events, (sequence, given) => {
      const matcher = new PatternSequenceMatcher(sequence);
      for (const { event, time } of timed(given)) {
        for (const match of matcher.process(event, time)) {
          expect(Object.values(match.eventsByStep).flat()).toEqual(match.events);
        }
      }
    }),
    { numRuns: 500, seed: 20_262 },
  );
});

test('export and restore anywhere, as JSON and into another matcher, change nothing', () => {
  fc.assert(
    fc.property(arbitrarySequence, events, fc.nat(8), (sequence, given, at) => {
      const straight = new PatternSequenceMatcher(sequence);
      let restored = new PatternSequenceMatcher(sequence);
      timed(given).forEach(({ event, time }, position) => {
        if (position === at % given.length) {
          const text = JSON.stringify(restored.exportPartialMatches());
          restored = new PatternSequenceMatcher(sequence);
          restored.restorePartialMatches(JSON.parse(text) as PartialMatchState<string>[]);
        }
        expect(restored.process(event, time).map(plain)).toEqual(straight.process(event, time).map(plain));
        expect(restored.exportPartialMatches()).toEqual(straight.exportPartialMatches());
      });
    }),
    { numRuns: 1_000, seed: 20_263 },
  );
});

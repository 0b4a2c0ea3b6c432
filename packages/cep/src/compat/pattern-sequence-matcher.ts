import { checkTimestamp } from '@rs/core';
import { advance } from './advance.ts';
import { checkCount, invalidArgument } from './check.ts';
import { CompleteMatch } from './complete-match.ts';
import {
  type PartialMatch,
  type PartialMatchState,
  eventsByStep,
  eventsOf,
  partialOf,
  stateOf,
} from './partial-match.ts';
import { type PatternSequence, type PatternStep, checkSequence } from './pattern-sequence.ts';

/** Default of the second argument of {@link PatternSequenceMatcher}. */
export const DEFAULT_MAX_RETAINED_MATCHES = 1_000;

/**
 * Finds a {@link PatternSequence} in events that come one by one, with exactly what the original finds. Where that surprises:
 *
 * - An event that continues something begins nothing, so matches that overlap are missed.
 * - An event that a loop or an optional step takes is not offered to the step behind it.
 * - A loop or an optional step at the end is over only with an event that it takes.
 * - One contiguity holds for the way to a step and for the loop in it. It is that of the step which is waited for, also when
 *   that is optional and another one comes.
 * - Events count in the order in which they come. Time only ends what has begun, when an event comes, and nobody is told.
 * - Without `within` what has begun never ends: a loop keeps a partial match for each start, and `followedByAny` in front of a
 *   loop multiplies them with each event.
 *
 * `PatternMatcher` of `@rs/cep` has none of this.
 */
export class PatternSequenceMatcher<T> {
  readonly #steps: readonly PatternStep<T>[];
  readonly #within: number;
  readonly #maxRetainedMatches: number;
  #partials: readonly PartialMatch<T>[] = [];
  readonly #retained: CompleteMatch<T>[] = [];

  /**
   * @param maxRetainedMatches how many of the matches are kept for `completeMatches`, the newest; 0 keeps none. Default 1,000
   * @throws RsError `RS_INVALID_PATTERN` for a sequence without steps, `RS_INVALID_ARGUMENT`
   */
  constructor(sequence: PatternSequence<T>, maxRetainedMatches: number = DEFAULT_MAX_RETAINED_MATCHES) {
    checkSequence(sequence, 'PatternSequenceMatcher');
    this.#steps = sequence.steps;
    this.#within = sequence.timeLimit ?? Infinity;
    this.#maxRetainedMatches = checkCount(
      maxRetainedMatches,
      0,
      'PatternSequenceMatcher: maxRetainedMatches',
    );
  }

  /**
   * Takes the next event, and returns the matches that are whole with it.
   *
   * @param timestamp epoch milliseconds; earlier than before is no error
   * @throws RsError `RS_INVALID_TIMESTAMP`; and what a condition throws, after which nothing has changed
   */
  process(event: T, timestamp: number): CompleteMatch<T>[] {
    const time = checkTimestamp(timestamp, 'PatternSequenceMatcher.process');
    const alive = this.#partials.filter(({ startTs }) => time - startTs <= this.#within);
    const { partials, complete } = advance(this.#steps, alive, event, time);
    this.#partials = partials;
    const matches = complete.map(
      (match) => new CompleteMatch(eventsOf(match), eventsByStep(match), match.startTs, time),
    );
    if (matches.length > 0) this.#retain(matches);
    return matches;
  }

  /** The newest matches, up to `maxRetainedMatches`, oldest first. A copy. */
  get completeMatches(): CompleteMatch<T>[] {
    return [...this.#retained];
  }

  get partialMatchCount(): number {
    return this.#partials.length;
  }

  /** What has begun, in its order, steps ascending. Lists are copies, events are the events themselves. JSON if the events are. */
  exportPartialMatches(): PartialMatchState<T>[] {
    return this.#partials.map(stateOf);
  }

  /**
   * Goes on from what a matcher of the same sequence has exported, in place of what has begun here. Retained matches stay.
   *
   * @throws RsError `RS_INVALID_VALUE` for what such a matcher has not exported; the matcher is as before then
   */
  restorePartialMatches(states: readonly PartialMatchState<T>[]): void {
    const given: unknown = states;
    if (!Array.isArray(given)) {
      throw invalidArgument('restorePartialMatches takes a list of partial matches', 'states', given);
    }
    this.#partials = states.map((state) => partialOf(state, this.#steps.length));
  }

  #retain(matches: readonly CompleteMatch<T>[]): void {
    for (const match of matches) this.#retained.push(match);
    const excess = this.#retained.length - this.#maxRetainedMatches;
    if (excess > 0) this.#retained.splice(0, excess);
  }
}

import { type Clock, checkTimestamp, systemClock } from '@rs/core';
import { checkCount } from './check.ts';
import { EventSequence } from './event-sequence.ts';
import { type PatternConfig, type ResolvedConfig, resolveConfig } from './pattern-config.ts';

/** Default of the second argument of {@link PatternMatcher}. */
export const DEFAULT_MAX_ACTIVE_SEQUENCES = 1_000;

/** An active sequence is never returned: what can be seen of it is that it is there. So its events are not kept. */
interface ActiveSequence {
  readonly start: number;
  readonly length: number;
}

/**
 * Matches single events: each that meets the condition is a sequence of its own. A filter in all but name, kept because the
 * original has it. Sequences of several events are found by `PatternSequenceMatcher`.
 */
export class PatternMatcher<T> {
  readonly #config: ResolvedConfig<T>;
  readonly #maxActiveSequences: number;
  readonly #clock: Pick<Clock, 'now'>;
  #active: readonly ActiveSequence[] = [];

  /**
   * @param maxActiveSequences active sequences that are tracked, the newest; 0 tracks none. Default 1,000. Without a limit
   *   they would double with each event that matches
   * @param clock tells the time of events that are given without one
   * @throws RsError `RS_INVALID_ARGUMENT`, and `RS_INVALID_DURATION` for a time window that is not at least 1 ms
   */
  constructor(
    config: PatternConfig<T>,
    maxActiveSequences: number = DEFAULT_MAX_ACTIVE_SEQUENCES,
    clock: Pick<Clock, 'now'> = systemClock,
  ) {
    this.#config = resolveConfig(config);
    this.#maxActiveSequences = checkCount(maxActiveSequences, 0, 'PatternMatcher: maxActiveSequences');
    this.#clock = clock;
  }

  /**
   * Takes an event. One that meets the condition gives one sequence, with it alone.
   *
   * @param timestamp epoch milliseconds; left out, it is now
   * @throws RsError `RS_INVALID_TIMESTAMP`; and what the condition throws, after which nothing has changed
   */
  process(event: T, timestamp: number = this.#clock.now()): EventSequence<T>[] {
    const { pattern, timeWindow, contiguous, allowEventReuse } = this.#config;
    const time = checkTimestamp(timestamp, 'PatternMatcher.process');
    const matches = pattern.matches(event);
    const active = this.#active.filter(({ start }) => time - start <= timeWindow);
    if (!matches) {
      this.#active = contiguous ? [] : active;
      return [];
    }
    this.#active = allowEventReuse ? this.#grown(active, time) : active;
    return [new EventSequence([event], time, time)];
  }

  /** Sequences that an event could still make longer. */
  get activeSequenceCount(): number {
    return this.#active.length;
  }

  /** The event's own sequence is among those that it makes longer, so that it occurs twice in one: as in the original. */
  #grown(active: readonly ActiveSequence[], time: number): readonly ActiveSequence[] {
    if (this.#maxActiveSequences === 0) return [];
    const all = [...active, { start: time, length: 1 }];
    const longer = all
      .filter(({ length }) => length < this.#config.maxSequenceLength)
      .map(({ start, length }) => ({ start, length: length + 1 }));
    return [...all, ...longer].slice(-this.#maxActiveSequences);
  }
}

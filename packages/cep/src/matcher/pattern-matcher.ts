import { RsError, checkObject, checkTimestamp } from '@rs/core';
import type { PatternLike } from '../pattern/pattern.ts';
import { specOf } from '../pattern/spec.ts';
import type { AnyMatch } from './bindings.ts';
import { type MatcherDocument, checkDocument, documentOf, load } from './document.ts';
import { MatcherCore } from './matcher-core.ts';
import type { Match } from './match.ts';
import { type PatternMatcherOptions, limitsOf } from './options.ts';

/** Sizes and counts of a {@link PatternMatcher}. */
export interface MatcherCounters {
  /** Runs that can go on. */
  readonly liveRuns: number;
  /** Runs that are kept, with those that others continue. */
  readonly runs: number;
  /** Events that runs hold. */
  readonly events: number;
  /** Matches that wait for runs that began before them. */
  readonly heldMatches: number;
  /** Events that took no part because they were late. */
  readonly late: number;
  /** Runs given up because of a limit. */
  readonly dropped: number;
}

export interface RestoreOptions {
  /**
   * What a document of another pattern does. `fail` (default) throws `RS_PATTERN_MISMATCH`, `clear` begins with an empty
   * matcher: what had begun is lost.
   */
  readonly onMismatch?: 'fail' | 'clear';
}

/**
 * Finds a pattern in events that come one by one. Synchronous, without timers and without a clock: time is what events
 * and `advanceTime` say. One matcher is for one key; it needs memory only for what has begun.
 */
export class PatternMatcher<T, S extends object> {
  readonly #core: MatcherCore;
  readonly #options: PatternMatcherOptions<T, S>;
  /** Whether runs can time out or be dropped. */
  readonly #givesUp: boolean;
  /** Matches that a callback which has thrown kept from being returned. */
  readonly #untold: AnyMatch[] = [];
  #late = 0;
  #dropped = 0;

  /**
   * @throws RsError `RS_INVALID_PATTERN` for a pattern that ends with `notFollowedBy` and has no `within`,
   *   `RS_INVALID_ARGUMENT` for an option that cannot be
   */
  constructor(pattern: PatternLike<T, S>, options: PatternMatcherOptions<T, S> = {}) {
    const limits = limitsOf(options);
    specOf(pattern, 'PatternMatcher');
    this.#core = new MatcherCore(pattern.program(), limits);
    this.#options = options;
    this.#givesUp = this.#core.program.within !== undefined || limits.onLimit === 'drop-oldest';
  }

  /**
   * Takes the next event, and returns the matches that have become certain: by first event, then by the positions of the
   * others. Before that, what was due up to `timestamp` is over.
   *
   * Events must come in the order of their times; equal times are in order. An event before one that was processed, or
   * not behind `advanceTime`, is late: it takes no part, is counted, and `onLate` is told.
   *
   * When a condition throws, the event has taken no part either, and can be given again. When a callback of the options throws, it has, and
   * the next call returns what this one would have.
   *
   * @param timestamp epoch milliseconds
   * @throws RsError `RS_INVALID_TIMESTAMP`; `RS_USER_FUNCTION_FAILED` for a condition that throws and
   *   `RS_ASYNC_NOT_ALLOWED` for one that returns a promise; `RS_PATTERN_LIMIT`; `RS_PATTERN_SKIP_MISSED`
   */
  process(event: T, timestamp: number): readonly Match<T, S>[] {
    const core = this.#core;
    const time = checkTimestamp(timestamp, 'PatternMatcher.process');
    if (time < core.earliest) {
      this.#late++;
      this.#options.onLate?.(event, time);
      return [];
    }
    return this.#told(core.process(event, time));
  }

  /**
   * Says that no event up to `timestamp` comes any more, as a watermark does: what is over by then times out, and a match
   * that waited for nothing forbidden to follow is certain. An earlier time than before does nothing.
   *
   * @param timestamp epoch milliseconds; `Infinity` is {@link flush}
   * @throws RsError `RS_INVALID_TIMESTAMP`
   */
  advanceTime(timestamp: number): readonly Match<T, S>[] {
    if (timestamp === Infinity) return this.flush();
    if (timestamp === -Infinity) return [];
    return this.#told(this.#core.advance(checkTimestamp(timestamp, 'PatternMatcher.advanceTime')));
  }

  /**
   * The input has ended: everything with a `within` times out, and what else has begun is forgotten. Afterwards the matcher
   * is empty, and takes events of any time.
   */
  flush(): readonly Match<T, S>[] {
    return this.#told(this.#core.flush());
  }

  /**
   * When {@link advanceTime} has something to do next; `undefined` when nothing waits for time. For timers: without an
   * event nobody else notices that time has passed.
   */
  nextDeadline(): number | undefined {
    const deadline = this.#core.nextDeadline();
    return deadline === Infinity ? undefined : deadline;
  }

  get counters(): MatcherCounters {
    const { store, held, live } = this.#core;
    return {
      liveRuns: live.size,
      runs: store.runs,
      events: store.events,
      heldMatches: held.size,
      late: this.#late,
      dropped: this.#dropped,
    };
  }

  /** All that the matcher knows. JSON if the events are; the events are not copied. */
  export(): MatcherDocument<T> {
    return documentOf(this.#core) as MatcherDocument<T>;
  }

  /**
   * Replaces what the matcher knows. Counters stay.
   *
   * The document tells a pattern by its structure (stages, names, order, quantifiers, negations, `within`, what is skipped
   * after a match). A condition is code and is not compared: one that has changed decides from here on.
   *
   * @returns whether the state was taken over; `false` only with `onMismatch: 'clear'`
   * @throws RsError `RS_PATTERN_MISMATCH`; `RS_INVALID_VALUE` for what is no document of a matcher. The matcher is as
   *   before then.
   */
  restore(document: MatcherDocument<T>, options: RestoreOptions = {}): boolean {
    checkObject(options, 'PatternMatcher.restore: options');
    checkDocument(document);
    const core = this.#core;
    if (document.pattern !== core.program.fingerprint) {
      if (options.onMismatch !== 'clear') throw mismatch(document.pattern, core.program.fingerprint);
      core.reset();
      return false;
    }
    // A document that cannot be read must not leave half of it behind.
    load(core.another(), document);
    core.reset();
    load(core, document);
    return true;
  }

  /**
   * Hands over what the callbacks are for, once the state is whole. When one throws, the next call returns the matches of this one
   * too, and goes on with the callbacks.
   */
  #told(matches: readonly AnyMatch[]): readonly Match<T, S>[] {
    // Looked at with every event: what cannot be there is left alone.
    if (!this.#givesUp) return matches as readonly Match<T, S>[];
    const { timedOut, dropped } = this.#core;
    if (timedOut.length + dropped.length + this.#untold.length === 0)
      return matches as readonly Match<T, S>[];
    for (const match of matches) this.#untold.push(match);
    const { onTimeout, onDropped } = this.#options;
    for (let one = timedOut.shift(); one !== undefined; one = timedOut.shift()) {
      onTimeout?.(one as Match<T, S>);
    }
    for (let one = dropped.shift(); one !== undefined; one = dropped.shift()) {
      this.#dropped++;
      onDropped?.(one as Match<T, S>);
    }
    return this.#untold.splice(0) as Match<T, S>[];
  }
}

function mismatch(stored: string, expected: string): RsError {
  return new RsError(
    'RS_PATTERN_MISMATCH',
    "PatternMatcher.restore: the state is that of another pattern; restore it with the pattern it was exported from, or with onMismatch: 'clear' to begin anew",
    { details: { stored, expected } },
  );
}

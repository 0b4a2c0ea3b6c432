import { type Clock, RsError, checkObject, systemClock } from '@rs/core';
import type { Match } from './matcher/match.ts';
import type { PatternMatcherOptions } from './matcher/options.ts';
import { PatternMatcher } from './matcher/pattern-matcher.ts';
import type { PatternLike } from './pattern/pattern.ts';

export interface MatchOptions<T, S extends object> extends PatternMatcherOptions<T, S> {
  /** The time of an event, in epoch milliseconds. Default: when it comes, by the clock. */
  readonly timestamp?: (event: T) => number;
  /** Tells the time where `timestamp` does not. Default: the system's. */
  readonly clock?: Clock;
}

/**
 * The matches of a pattern in a stream of events, each as soon as it is certain. The end of the stream is the end of time:
 * matches that waited for nothing forbidden to follow come then. Leaving the loop early closes the stream.
 *
 * @throws RsError what `PatternMatcher.process` throws, out of the loop
 */
export async function* match<T, S extends object>(
  events: AsyncIterable<T> | Iterable<T>,
  pattern: PatternLike<T, S>,
  options: MatchOptions<T, S> = {},
): AsyncGenerator<Match<T, S>, void, undefined> {
  checkObject(options, 'match: options');
  const { timestamp, clock = systemClock } = options;
  if (!isIterable(events)) {
    throw new RsError(
      'RS_INVALID_ARGUMENT',
      'match: the first argument must be an iterable or async iterable of events',
      { details: { what: 'events', received: events } },
    );
  }
  if (timestamp !== undefined && typeof timestamp !== 'function') {
    throw new RsError(
      'RS_INVALID_ARGUMENT',
      'match: options.timestamp must be a function (event) => number; leave it out for the time of arrival',
      { details: { what: 'timestamp', received: timestamp } },
    );
  }
  const matcher = new PatternMatcher(pattern, options);
  let latest = -Infinity;
  // A clock that goes back must not make events late.
  const arrival = (): number => (latest = Math.max(latest, clock.now()));
  for await (const event of events) yield* matcher.process(event, timestamp?.(event) ?? arrival());
  yield* matcher.flush();
}

function isIterable(value: unknown): boolean {
  if (typeof value === 'string') return true;
  return (
    typeof value === 'object' && value !== null && (Symbol.asyncIterator in value || Symbol.iterator in value)
  );
}

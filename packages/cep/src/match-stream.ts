import { RsError, checkObject } from '@rs/core';
import type { Match } from './matcher/match.ts';
import type { PatternMatcherOptions } from './matcher/options.ts';
import { PatternMatcher } from './matcher/pattern-matcher.ts';
import type { PatternLike } from './pattern/pattern.ts';

export interface MatchOptions<T, S extends object> extends PatternMatcherOptions<T, S> {
  /** The time of an event, in epoch milliseconds. */
  readonly timestamp: (event: T) => number;
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
  options: MatchOptions<T, S>,
): AsyncGenerator<Match<T, S>, void, undefined> {
  checkObject(options, 'match: options');
  const { timestamp } = options;
  if (typeof timestamp !== 'function') {
    throw new RsError(
      'RS_INVALID_ARGUMENT',
      'match: options.timestamp must be a function (event) => number',
      {
        details: { what: 'timestamp', received: timestamp },
      },
    );
  }
  const matcher = new PatternMatcher(pattern, options);
  for await (const event of events) yield* matcher.process(event, timestamp(event));
  yield* matcher.flush();
}

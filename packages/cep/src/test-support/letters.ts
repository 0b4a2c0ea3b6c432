import type { Match, PartialMatch } from '../matcher/match.ts';
import { PatternMatcher } from '../matcher/pattern-matcher.ts';
import type { PatternMatcherOptions } from '../matcher/options.ts';
import { Pattern, type PatternLike } from '../pattern/pattern.ts';

/** Events of the vectors are texts such as `a1`: the letter is the type, the rest tells them apart. */
export const is =
  (type: string) =>
  (event: string): boolean =>
    event.startsWith(type);

/** A pattern that begins with the stage `a`, or another letter, for events of that letter. */
export function letter<const N extends string>(name: N) {
  return Pattern.of<string>().begin(name, is(name));
}

interface Seen {
  /** `{a1 b1}` for each match, after the step in which it came. */
  readonly steps: readonly (readonly string[])[];
  readonly matches: readonly string[];
  readonly timedOut: readonly string[];
}

/**
 * Runs a pattern over a text such as `a1 b1@7 |10`: events, by default one millisecond apart, some with their time, and
 * `|10` for time that comes to 10. The input is not flushed.
 */
export function seen<S extends object>(
  pattern: PatternLike<string, S>,
  input: string,
  options: PatternMatcherOptions<string, S> = {},
): Seen {
  const timedOut: string[] = [];
  const matcher = new PatternMatcher(pattern, {
    onTimeout: (partial) => timedOut.push(`${shown(partial)}@${partial.timestamp}`),
    ...options,
  });
  let time = 0;
  const steps = input.split(' ').map((word) => {
    if (word.startsWith('|')) return matcher.advanceTime(Number(word.slice(1))).map(shown);
    const [event = '', at] = word.split('@');
    time = at === undefined ? time + 1 : Number(at);
    return matcher.process(event, time).map(shown);
  });
  return { steps, matches: steps.flat(), timedOut };
}

export function shown(match: Match<string, object> | PartialMatch<string, object>): string {
  return `{${match.sequence.join(' ')}}`;
}

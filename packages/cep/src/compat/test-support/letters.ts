import { Pattern } from '../pattern.ts';
import { PatternSequence } from '../pattern-sequence.ts';
import { PatternSequenceMatcher } from '../pattern-sequence-matcher.ts';

/** Events of the vectors are texts such as `a1`: the letter is the type, the rest tells them apart. */
export const is = (type: string): Pattern<string> => Pattern.of((event) => event.startsWith(type));

/** A sequence that begins with a step of that letter. */
export const letter = (name: string): PatternSequence<string> => PatternSequence.begin(name, is(name));

/**
 * Runs a sequence over a text such as `a1 b1@7`: events, by default one millisecond apart, some with their time.
 *
 * @returns `{a1 b1}` for each match, in order, and how many partial matches are left
 */
export function seen(
  sequence: PatternSequence<string>,
  input: string,
): { matches: string; partials: number } {
  const matcher = new PatternSequenceMatcher(sequence);
  let time = 0;
  const matches = input.split(' ').flatMap((word) => {
    const [event = '', at] = word.split('@');
    time = at === undefined ? time + 1 : Number(at);
    return matcher.process(event, time).map(({ events }) => `{${events.join(' ')}}`);
  });
  return { matches: matches.join(' '), partials: matcher.partialMatchCount };
}

/** What users need not write, and what the types refuse. */
import type { DataStream, KeyedStream } from '@rs/core';
import {
  type CompleteMatch,
  type EventSequence,
  Pattern,
  PatternBuilder,
  PatternMatcher,
  PatternSequence,
  PatternSequenceMatcher,
  PatternSequenceProcessFunction,
} from './index.ts';

type Equal<A, B> = (<X>() => X extends A ? 1 : 2) extends <X>() => X extends B ? 1 : 2 ? true : false;

/** Compiles only where the two types are the same. */
function same<A, B>(..._proof: Equal<A, B> extends true ? [] : ['the types differ']): void {}

interface Reading {
  readonly at: number;
  readonly value: number;
}

const low = Pattern.of((reading: Reading) => reading.value < 5);
const dated = Pattern.of((event: { readonly at: number }) => event.at > 0);
declare const keyed: KeyedStream<string, Reading>;

export function sequences(): void {
  const sequence = PatternSequence.begin('low', low).next('high', low.negate()).times(2).within('5s');
  same<typeof sequence, PatternSequence<Reading>>();
  const matcher = new PatternSequenceMatcher(sequence);
  const matches = matcher.process({ at: 1, value: 2 }, 1);
  same<typeof matches, CompleteMatch<Reading>[]>();
  // @ts-expect-error -- an event of another type
  matcher.process('low', 1);
  // @ts-expect-error -- within is a duration
  sequence.within('5 seconds');
}

export function operators(): void {
  const sequence = PatternSequence.begin('low', low);
  const found = keyed.process(new PatternSequenceProcessFunction(sequence, (reading) => reading.at));
  same<typeof found, DataStream<EventSequence<Reading>>>();
  const other = PatternSequence.begin<string>();
  // @ts-expect-error -- a sequence of other events
  keyed.process(new PatternSequenceProcessFunction(other));
}

export function conditions(): void {
  // A condition on less than the event is one on the event.
  const both: Pattern<Reading> = low.and(dated);
  const config = new PatternBuilder<Reading>().where(both).where(dated).withTimeWindow('1m');
  const [match] = new PatternMatcher(config).process({ at: 1, value: 2 });
  same<typeof match, EventSequence<Reading> | undefined>();
  // @ts-expect-error -- an event that has no value
  low.matches({ at: 1 });
}

import { Pattern, PatternSequence, PatternSequenceProcessFunction } from '@rs/cep/compat';
import { type DataStream, type StreamEnvironment } from '@rs/core';
import { ANY_PARTITIONING } from '../case.ts';
import { type Event, events, eventsOf } from '../input.ts';
import { randomEvents } from '../random.ts';
import { firstWord } from '../results.ts';
import { inArea } from './in-area.ts';

const amount = (wanted: number) => Pattern.of<Event>((event) => event.amount === wanted);

function found(env: StreamEnvironment, sequence: PatternSequence<Event>): DataStream<string> {
  return eventsOf(env)
    .keyByMessageKey()
    .process(new PatternSequenceProcessFunction<string, Event>(sequence, ({ at }) => at), { uid: 'original' })
    .map(({ events: all }) => [all[0]?.key, ...all.map((event) => `${event.amount}@${event.at}`)].join(' '));
}

/** The operator of the original API, with what it finds otherwise than the new one. */
export const ORIGINAL_PATTERNS = inArea('patterns', [
  {
    name: 'the original: an event that goes on with a match begins no other',
    partitions: ANY_PARTITIONING,
    keyOf: firstWord,
    input: events('a:1@0 a:1@1 b:1@1 a:1@2 a:1@3 b:1@5 b:1@6'),
    define(env, sink) {
      sink('out', found(env, PatternSequence.begin('one', amount(1)).times(3)));
    },
    expected: { out: ['a 1@0 1@1 1@2', 'b 1@1 1@5 1@6'] },
  },
  {
    name: 'the original: events are taken as they come, and time that is just over is in time',
    partitions: ANY_PARTITIONING,
    keyOf: firstWord,
    input: events('a:2@3 a:1@1 b:1@0 b:2@10 c:1@0 c:2@11'),
    define(env, sink) {
      sink(
        'out',
        found(env, PatternSequence.begin('one', amount(1)).followedBy('two', amount(2)).within(10)),
      );
    },
    expected: { out: ['b 1@0 2@10'] },
  },
  {
    name: 'the original: what it finds is the same everywhere',
    partitions: ANY_PARTITIONING,
    keyOf: firstWord,
    input: randomEvents({ seed: 24, count: 1_500, keys: 7, disorder: 6 }),
    define(env, sink) {
      const sequence = PatternSequence.begin('one', amount(1))
        .followedByAny('two', amount(2))
        .times(1, 2)
        .followedBy('three', amount(3))
        .within(120);
      sink('out', found(env, sequence));
    },
    expected: 'agreement',
  },
]);

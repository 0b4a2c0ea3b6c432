import { type AggregateFunction, topic, valueState } from '@rs/core';
import { GlobalWindow, TumblingWindow } from '@rs/window';
import { ANY_PARTITIONING, type InputMessage } from '../case.ts';
import { type Event, events, eventsOf } from '../input.ts';
import { bounds, contents, firstWord } from '../results.ts';
import { PATIENT } from '../settings.ts';
import { inArea } from './in-area.ts';

const LINES = topic<string>('lines');
const keyOfEvent = ({ key }: Event) => key;

/** Lines whose keys say nothing about their words. */
function lines(...texts: readonly string[]): InputMessage[] {
  return texts.map((value, at) => ({ topic: LINES.name, key: `line ${at}`, value, timestamp: at }));
}

const TEXT = lines('the cat the dog', 'a dog', 'constructor the', 'a cat the __proto__', '__proto__');

/** Counts what it gets. */
const counting: AggregateFunction<unknown, number, number> = {
  createAccumulator: () => 0,
  add: (_value, count) => count + 1,
  getResult: (count) => count,
};

export const EXCHANGE = inArea('exchange', [
  {
    name: 'word count: one counter per word, wherever its lines are',
    partitions: ANY_PARTITIONING,
    input: TEXT,
    define(env, sink) {
      sink(
        'out',
        env
          .fromTopic(LINES, 'conformance', { until: 'now' })
          .flatMap((line) => line.split(' '))
          .keyBy((word) => word)
          .window(GlobalWindow.create())
          .aggregate(counting, (count, { key }) => `${key} ${count}`),
      );
    },
    // At the end, by the bytes of the words: _ comes before a.
    expected: { out: ['__proto__ 2', 'a 2', 'cat 2', 'constructor 1', 'dog 2', 'the 4'] },
  },
  {
    name: 'rolling word count: 1, 2, 3, … for each word',
    partitions: ANY_PARTITIONING,
    keyOf: firstWord,
    input: TEXT,
    define(env, sink) {
      const count = valueState('count', { default: () => 0 });
      sink(
        'out',
        env
          .fromTopic(LINES, 'conformance', { until: 'now' })
          .flatMap((line) => line.split(' '))
          .keyBy((word) => word)
          .process<string>({
            open: (ctx) => void ctx.state(count),
            processElement(word, _value, ctx, out) {
              ctx.state(count).update(ctx.state(count).value() + 1);
              out.collect(`${word} ${ctx.state(count).value()}`);
            },
          }),
      );
    },
    expected: {
      out: [
        'the 1',
        'cat 1',
        'the 2',
        'dog 1',
        'a 1',
        'dog 2',
        'constructor 1',
        'the 3',
        'a 2',
        'cat 2',
        'the 4',
        '__proto__ 1',
        '__proto__ 2',
      ],
    },
  },
  {
    name: 'records without a message key, in every partition',
    topics: { lines: 4 },
    input: [0, 1, 2, 3, 2, 0].map((partition, timestamp) => ({
      topic: LINES.name,
      value: 'w',
      timestamp,
      partition,
    })),
    define(env, sink) {
      sink(
        'out',
        env
          .fromTopic(LINES, 'conformance', { until: 'now' })
          .keyBy((word) => word)
          .window(TumblingWindow.of(100))
          .aggregate(counting, (count, { key }) => `${key} ${count}`),
      );
    },
    expected: { out: ['w 6'] },
  },
  {
    name: 'two keyBys in a row: how many words come how often',
    partitions: ANY_PARTITIONING,
    settings: PATIENT,
    input: TEXT,
    define(env, sink) {
      sink(
        'out',
        env
          .fromTopic(LINES, 'conformance', { until: 'now' })
          .flatMap((line) => line.split(' '))
          .keyBy((word) => word)
          .window(TumblingWindow.of(100))
          .count()
          .keyBy((count) => count)
          .window(TumblingWindow.of(1_000))
          .aggregate(counting, (words, { key }) => `${key} times: ${words}`),
      );
    },
    // By the texts of the keys.
    expected: { out: ['1 times: 1', '2 times: 4', '4 times: 1'] },
  },
  {
    name: 'a slow partition is not late',
    partitions: ANY_PARTITIONING,
    // With four partitions a and b are in two of them, and b is far behind a; with one b comes in its time.
    input: events('b:1@10 b:2@20 b:3@30 a:4@1000 a:5@2000'),
    define(env, sink) {
      sink(
        'out',
        eventsOf(env).keyByMessageKey().window(TumblingWindow.of(10)).apply(contents, { uid: 'windows' }),
      );
    },
    expected: {
      out: ['b [10,20): 1', 'b [20,30): 2', 'b [30,40): 3', 'a [1000,1010): 4', 'a [2000,2010): 5'],
    },
  },
  {
    name: 'a slow partition is not late, in whatever order it is read, also behind an exchange',
    partitions: [4],
    input: events('a:1@1000 a:2@2000 a:3@3000 b:4@10 b:5@25 a:6@4000 b:7@31 c:8@5'),
    define(env, sink) {
      const all = eventsOf(env);
      sink(
        'by-message',
        all.keyByMessageKey().window(TumblingWindow.of(10)).apply(contents, { uid: 'by-message-key' }),
      );
      sink(
        'exchanged',
        all.keyBy(keyOfEvent).window(TumblingWindow.of(10)).apply(contents, { uid: 'by-key' }),
      );
    },
    expected: {
      'by-message': [
        'b [10,20): 4',
        'b [20,30): 5',
        'b [30,40): 7',
        'c [0,10): 8',
        'a [1000,1010): 1',
        'a [2000,2010): 2',
        'a [3000,3010): 3',
        'a [4000,4010): 6',
      ],
      exchanged: [
        'b [10,20): 4',
        'b [20,30): 5',
        'b [30,40): 7',
        'c [0,10): 8',
        'a [1000,1010): 1',
        'a [2000,2010): 2',
        'a [3000,3010): 3',
        'a [4000,4010): 6',
      ],
    },
  },
  {
    name: 'results of a slow partition are not late for the next exchange',
    partitions: [4],
    input: events('a:1@1000 a:2@2000 a:3@3000 b:4@10 b:5@25 a:6@4000 b:7@31 c:8@5'),
    define(env, sink) {
      sink(
        'out',
        eventsOf(env)
          .keyBy(keyOfEvent)
          .window(TumblingWindow.of(10))
          .sum(({ amount }) => amount, { uid: 'first' })
          .keyBy(() => 'all')
          .window(TumblingWindow.of(1_000))
          .sum(undefined, { uid: 'second' }),
      );
    },
    // 4 + 5 + 7 + 8 before 1000, then one a second.
    expected: { out: [24, 1, 2, 3, 6] },
  },
  {
    name: 'keys of messages, with what makes one record of another in between',
    partitions: ANY_PARTITIONING,
    keyOf: firstWord,
    input: events('a:1@1 b:2@2 a:3@3 c:4@4 b:5@5'),
    define(env, sink) {
      const amounts = eventsOf(env)
        .filter(({ amount }) => amount !== 4)
        .map(({ amount }) => amount)
        .flatMap((amount) => [amount, amount * 10]);
      sink(
        'out',
        amounts
          .map((amount) => amount + 1)
          .union(amounts.map((amount) => -amount))
          .keyByMessageKey()
          .process<string>((key, amount, _ctx, out) => out.collect(`${key} ${amount}`)),
      );
    },
    expected: {
      out: [
        'a 2',
        'a -1',
        'a 11',
        'a -10',
        'b 3',
        'b -2',
        'b 21',
        'b -20',
        'a 4',
        'a -3',
        'a 31',
        'a -30',
        'b 6',
        'b -5',
        'b 51',
        'b -50',
      ],
    },
  },
  {
    name: 'colocated keys stay where they are',
    partitions: ANY_PARTITIONING,
    keyOf: firstWord,
    settings: PATIENT,
    input: events('a:1@1 b:2@2 a:3@3 longer-key:4@4 b:5@15'),
    define(env, sink) {
      sink(
        'out',
        eventsOf(env).keyBy(keyOfEvent, { colocated: true }).window(TumblingWindow.of(10)).apply(contents),
      );
    },
    expected: {
      out: ['a [0,10): 1 3', 'b [0,10): 2', 'longer-key [0,10): 4', 'b [10,20): 5'],
    },
  },
  {
    name: 'a key that is not in its partition, although it was said to be',
    partitions: [4],
    // 'a' belongs to partition 1: 97 mod 4.
    input: events('a@1').map((message) => ({ ...message, partition: 2 })),
    define: (env, sink) =>
      sink(
        'out',
        eventsOf(env)
          .keyBy(keyOfEvent, { colocated: true })
          .sum(() => 1),
      ),
    expected: {},
    fails: 'RS_NOT_COLOCATED',
  },
  {
    name: 'a message that has no key, although it is needed',
    input: [{ topic: LINES.name, value: 'w', timestamp: 1 }],
    define(env, sink) {
      sink(
        'out',
        env
          .fromTopic(LINES, 'conformance', { until: 'now' })
          .keyByMessageKey()
          .sum(() => 1),
      );
    },
    expected: {},
    fails: 'RS_INVALID_KEY',
  },
  {
    name: 'through an exchange and around it, into one union',
    partitions: ANY_PARTITIONING,
    settings: PATIENT,
    input: events('a:1@1 b:2@2 a:3@3'),
    define(env, sink) {
      const all = eventsOf(env);
      const sums = all
        .keyBy(({ amount }) => amount % 2)
        .window(TumblingWindow.of(10))
        .sum(({ amount }) => amount);
      const both = sums.map((sum) => `sum ${sum}`).union(all.map(({ amount }) => `amount ${amount}`));
      sink('out', both);
      sink(
        'grouped',
        both
          .keyBy((text) => text.split(' ')[0])
          .window(TumblingWindow.of(10))
          .aggregate(counting, (count, { key, window }) => `${key} ${bounds(window)} ${count}`),
      );
    },
    expected: {
      out: ['amount 1', 'amount 2', 'amount 3', 'sum 2', 'sum 4'],
      grouped: ['amount [0,10) 3', 'sum [0,10) 2'],
    },
  },
  {
    name: 'streams with one key in places that cannot be brought together',
    topics: { lines: 3, events: 4 },
    input: [...lines('a'), ...events('a@1')],
    define(env, sink) {
      const texts = env.fromTopic(LINES, 'conformance', { until: 'now' }).keyByMessageKey();
      sink(
        'out',
        texts.connect(eventsOf(env).keyByMessageKey()).process<void>({
          processElement1: () => undefined,
          processElement2: () => undefined,
        }),
      );
    },
    expected: {},
    fails: 'RS_NOT_COPARTITIONED',
  },
]);

import { type StandardSchema, topic } from '@rs/core';
import { ANY_PARTITIONING, type InputMessage } from '../case.ts';
import { EVENTS, events, eventsOf } from '../input.ts';
import { stamped } from '../results.ts';
import { inArea } from './in-area.ts';
import { userError } from './user-error.ts';

/** Gives up its turn `turns` times before it answers. */
async function after<T>(turns: number, value: T): Promise<T> {
  for (let i = 0; i < turns; i++) await Promise.resolve();
  return value;
}

const WORDS = topic<string>('words');
const NUMBERS = topic<string>('numbers');

const numberSchema: StandardSchema<string, number> = {
  '~standard': {
    version: 1,
    vendor: 'conformance',
    validate: (value) =>
      Number.isNaN(Number(value)) ? { issues: [{ message: 'no number' }] } : { value: Number(value) },
  },
};

function words(text: string, to = WORDS): InputMessage[] {
  return text.split(' ').map((word, at) => ({ topic: to.name, key: word, value: word, timestamp: at }));
}

export const STATELESS = inArea('stateless', [
  {
    name: 'map, filter and flatMap',
    partitions: ANY_PARTITIONING,
    input: events('a:1@1 b:2@2 c:3@3 d:4@4'),
    define(env, sink) {
      const tens = eventsOf(env).map(({ amount }) => amount * 10);
      sink(
        'out',
        tens.filter((ten) => ten >= 20).flatMap((ten) => [ten, ten + 1]),
      );
    },
    expected: { out: [20, 21, 30, 31, 40, 41] },
  },
  {
    name: 'flatMap to null, to undefined and to nothing',
    partitions: ANY_PARTITIONING,
    input: events('a:1@1 a:2@2 a:3@3 a:4@4'),
    define(env, sink) {
      const parts = [[], null, undefined, [], ['x', 'y']];
      sink(
        'out',
        eventsOf(env).flatMap(({ amount }) => parts[amount]),
      );
    },
    expected: { out: ['x', 'y'] },
  },
  {
    name: 'values that are no truths are records',
    partitions: ANY_PARTITIONING,
    input: events('a:0@1 a:1@2 a:2@3 a:3@4 a:4@5'),
    define(env, sink) {
      sink(
        'out',
        eventsOf(env).map(({ amount }) => [undefined, null, 0, '', false][amount]),
      );
    },
    expected: { out: [undefined, null, 0, '', false] },
  },
  {
    name: 'two chains off one stream get all of its records',
    partitions: ANY_PARTITIONING,
    input: words('a b c'),
    define(env, sink) {
      const all = env.fromTopic(WORDS, 'conformance', { until: 'now' });
      sink('all', all);
      sink(
        'without-b',
        all.filter((word) => word !== 'b').map((word) => word.toUpperCase()),
      );
    },
    expected: { all: ['a', 'b', 'c'], 'without-b': ['A', 'C'] },
  },
  {
    name: 'union of branches, in the order of their declaration for each record',
    partitions: ANY_PARTITIONING,
    input: words('a b c'),
    define(env, sink) {
      const all = env.fromTopic(WORDS, 'conformance', { until: 'now' });
      const upper = all.map((word) => word.toUpperCase());
      const doubled = all.filter((word) => word !== 'b').map((word) => `${word}${word}`);
      sink('out', upper.union(doubled, all));
    },
    // The union, which reads the last branch itself, is declared after the other two.
    expected: { out: ['A', 'aa', 'a', 'B', 'b', 'C', 'cc', 'c'] },
  },
  {
    name: 'union of topics',
    partitions: ANY_PARTITIONING,
    input: [...words('a b a'), ...words('1 2', NUMBERS)],
    define(env, sink) {
      const all = env.fromTopic(WORDS, 'conformance', { until: 'now' });
      sink('out', all.union(env.fromTopic(NUMBERS, 'conformance', { until: 'now' })));
    },
    expected: { out: ['a', 'b', 'a', '1', '2'] },
  },
  {
    name: 'union of topics that differ in their numbers of partitions',
    topics: { words: 3, numbers: 1 },
    input: [...words('a b c d e'), ...words('1 2', NUMBERS)],
    define(env, sink) {
      const all = env.fromTopic(WORDS, 'conformance', { until: 'now' });
      sink('out', all.union(env.fromTopic(NUMBERS, 'conformance', { until: 'now' })));
    },
    expected: { out: ['a', 'b', 'c', 'd', 'e', '1', '2'] },
  },
  {
    name: 'messages have what they were sent with',
    input: [
      { topic: 'mixed', key: 'k', value: { n: 1 }, timestamp: 5, headers: { trace: 'x' } },
      { topic: 'mixed', value: 'text', timestamp: 6 },
    ],
    define(env, sink) {
      sink(
        'out',
        env
          .fromMqTopic('mixed', 'conformance', { until: 'now' })
          .map((message) => [
            message.topic,
            message.partition,
            message.key,
            message.value,
            message.timestamp,
            { ...message.headers },
          ]),
      );
    },
    expected: {
      out: [
        ['mixed', 0, 'k', { n: 1 }, 5, { trace: 'x' }],
        ['mixed', 0, undefined, 'text', 6, {}],
      ],
    },
  },
  {
    name: 'a topic with a schema gives what the schema makes',
    partitions: ANY_PARTITIONING,
    input: words('1 20 3.5', NUMBERS),
    define(env, sink) {
      const numbers = topic('numbers', { value: numberSchema });
      sink(
        'out',
        env.fromTopic(numbers, 'conformance', { until: 'now' }).map((number) => number + 1),
      );
    },
    expected: { out: [2, 21, 4.5] },
  },
  {
    name: 'a value that the schema refuses',
    input: words('1 two', NUMBERS),
    define(env, sink) {
      const numbers = topic('numbers', { value: numberSchema });
      sink('out', env.fromTopic(numbers, 'conformance', { until: 'now' }));
    },
    expected: {},
    fails: 'RS_INVALID_VALUE',
  },
  {
    name: 'a function that throws',
    input: words('a b'),
    define(env, sink) {
      sink(
        'out',
        env.fromTopic(WORDS, 'conformance', { until: 'now' }).map((word) => {
          if (word === 'b') throw userError('no b');
          return word;
        }),
      );
    },
    expected: {},
    fails: 'RS_USER_FUNCTION_FAILED',
  },
  {
    name: 'a topic without messages',
    partitions: ANY_PARTITIONING,
    topics: { [EVENTS.name]: undefined },
    input: [],
    define(env, sink) {
      const input = eventsOf(env);
      sink(
        'sums',
        input.keyBy(({ key }) => key).sum(({ amount }) => amount),
      );
      sink('all', input);
    },
    expected: { sums: [], all: [] },
  },
  {
    name: 'results keep the timestamps of what they were made of',
    partitions: ANY_PARTITIONING,
    input: events('a:1@5 a:2@7'),
    define(env, sink) {
      const input = eventsOf(env);
      const some = input
        .filter(({ amount }) => amount > 0)
        .flatMap(({ amount }) => [`x${amount}`, `y${amount}`]);
      sink('out', stamped(some.union(input.map(({ amount }) => `z${amount}`))));
    },
    expected: { out: ['x1 @ 5', 'y1 @ 5', 'z1 @ 5', 'x2 @ 7', 'y2 @ 7', 'z2 @ 7'] },
  },
  {
    name: 'functions that answer later keep the order',
    partitions: ANY_PARTITIONING,
    async: true,
    input: events('a:5@1 a:1@2 a:3@3 a:2@4'),
    define(env, sink) {
      sink(
        'out',
        eventsOf(env)
          .map(({ amount }) => after(amount, amount))
          .filter((amount) => after(5 - amount, amount !== 3))
          .flatMap((amount) => after(amount, [amount, -amount])),
      );
    },
    expected: { out: [5, -5, 1, -1, 2, -2] },
  },
]);

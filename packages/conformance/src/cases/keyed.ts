import { outputTag, valueState } from '@rs/core';
import { ANY_PARTITIONING } from '../case.ts';
import { events, eventsOf } from '../input.ts';
import { firstWord, stamped } from '../results.ts';
import { inArea } from './in-area.ts';

const COUNT = valueState('count', { default: () => 0 });
const BIG = outputTag<string>('big');

/** What counts as nothing, by the amount of an event. */
const numberOrNothing = (amount: number): number | null | undefined =>
  amount === 0 ? null : amount < 0 ? undefined : amount;

export const KEYED = inArea('keyed', [
  {
    name: 'rolling reduce: a first record as it is, then every accumulated one',
    partitions: ANY_PARTITIONING,
    keyOf: firstWord,
    input: events('odd:1@1 even:2@2 odd:3@3 odd:5@4'),
    define(env, sink) {
      const sums = eventsOf(env)
        .keyBy(({ key }) => key)
        .reduce((a, b) => ({ ...b, amount: a.amount + b.amount }));
      sink(
        'out',
        sums.map(({ key, amount, at }) => `${key} ${amount} ${at}`),
      );
    },
    expected: { out: ['odd 1 1', 'even 2 2', 'odd 4 3', 'odd 9 4'] },
  },
  {
    name: 'map of a keyed stream keeps the keys',
    partitions: ANY_PARTITIONING,
    input: events('odd:1@1 even:2@2 odd:3@3'),
    define(env, sink) {
      sink(
        'out',
        eventsOf(env)
          .keyBy(({ key }) => key)
          .map(({ amount }) => amount * 10)
          .reduce((a, b) => a + b),
      );
    },
    expected: { out: [10, 20, 40] },
  },
  {
    name: 'a chain of keyed maps never sees the key of another record',
    partitions: ANY_PARTITIONING,
    keyOf: firstWord,
    input: events('a@1 b@2 a@3 b@4 a@5'),
    define(env, sink) {
      const keyed = eventsOf(env).keyBy(({ key }) => key);
      const count = keyed.getState(COUNT);
      sink(
        'out',
        keyed
          .map(({ key }) => {
            count.update(count.value() + 1);
            return key;
          })
          .map((key) => `${key} ${count.value()}`)
          .process<string>((key, text, ctx, out) => {
            out.collect(`${key} ${text === `${key} ${ctx.state(COUNT).value()}`} ${text}`);
          }),
      );
    },
    expected: { out: ['a true a 1', 'b true b 1', 'a true a 2', 'b true b 2', 'a true a 3'] },
  },
  {
    name: 'rolling sum, minimum and maximum; null and undefined count as nothing',
    partitions: ANY_PARTITIONING,
    input: events('a:0@1 a:5@2 a:-1@3 a:3@4 a:9@5'),
    define(env, sink) {
      const keyed = eventsOf(env).keyBy(({ key }) => key);
      sink(
        'sum',
        keyed.sum(({ amount }) => numberOrNothing(amount)),
      );
      sink(
        'min',
        keyed.min(({ amount }) => numberOrNothing(amount)),
      );
      sink(
        'max',
        keyed.max(({ amount }) => numberOrNothing(amount)),
      );
    },
    // No minimum or maximum is known before the second record.
    expected: { sum: [0, 5, 5, 8, 17], min: [5, 5, 3, 3], max: [5, 5, 5, 9] },
  },
  {
    name: 'rolling sums of bigints, and of records that are numbers',
    partitions: ANY_PARTITIONING,
    input: events('a:1@1 a:2@2 a:4@3'),
    define(env, sink) {
      const keyed = eventsOf(env).keyBy(({ key }) => key);
      sink(
        'bigints',
        keyed.sum(({ amount }) => 2n ** 60n * BigInt(amount)),
      );
      sink('numbers', keyed.map(({ amount }) => amount / 2).sum());
    },
    expected: {
      bigints: [1_152_921_504_606_846_976n, 3_458_764_513_820_540_928n, 8_070_450_532_247_928_832n],
      numbers: [0.5, 1.5, 3.5],
    },
  },
  {
    name: 'numbers and bigints are never added up',
    input: events('a:1@1 a:2@2'),
    define(env, sink) {
      sink(
        'out',
        eventsOf(env)
          .keyBy(({ key }) => key)
          .sum(({ amount }): number | bigint => (amount === 1 ? 1 : 2n)),
      );
    },
    expected: {},
    fails: 'RS_INVALID_VALUE',
  },
  {
    name: 'process: any number of results, and the key',
    partitions: ANY_PARTITIONING,
    keyOf: firstWord,
    input: events('a:2@1 b:0@2 c:1@3'),
    define(env, sink) {
      sink(
        'out',
        eventsOf(env)
          .keyBy(({ key }) => key.toUpperCase())
          .process<string>((key, { amount }, ctx, out) => {
            for (let i = 1; i <= amount; i++) out.collect(`${key} ${i} ${ctx.key === key}`);
          }),
      );
    },
    expected: { out: ['A 1 true', 'A 2 true', 'C 1 true'] },
  },
  {
    name: 'side outputs have the time of their record, and its place',
    partitions: ANY_PARTITIONING,
    input: events('a:1@1 a:20@2 a:3@3 a:40@4'),
    define(env, sink) {
      const small = eventsOf(env)
        .keyBy(({ key }) => key)
        .process<number>((_key, { amount }, ctx, out) => {
          if (amount >= 10) ctx.output(BIG, `big ${amount}`);
          else out.collect(amount);
        });
      sink('small', small);
      sink('big', stamped(small.getSideOutput(BIG)));
      sink('both', small.map((amount) => `small ${amount}`).union(small.getSideOutput(BIG)));
    },
    expected: {
      small: [1, 3],
      big: ['big 20 @ 2', 'big 40 @ 4'],
      both: ['small 1', 'big 20', 'small 3', 'big 40'],
    },
  },
  {
    name: 'two keyed operations in a row, each with its own state',
    partitions: ANY_PARTITIONING,
    keyOf: firstWord,
    input: events('a@1 b@2 a@3 a@4 b@5'),
    define(env, sink) {
      const counted = (name: string) => valueState(name, { default: () => 0 });
      const first = counted('first');
      const second = counted('second');
      sink(
        'out',
        eventsOf(env)
          .keyBy(({ key }) => key)
          .process<string>({
            open: (ctx) => void ctx.state(first),
            processElement(key, _event, ctx, out) {
              const state = ctx.state(first);
              state.update(state.value() + 1);
              out.collect(`${key} ${state.value()}`);
            },
          })
          .keyBy((text) => text.split(' ')[0])
          .process<string>({
            open: (ctx) => void ctx.state(second),
            processElement(key, text, ctx, out) {
              const state = ctx.state(second);
              state.update(state.value() + 10);
              out.collect(`${key} ${text.slice(2)} ${state.value()}`);
            },
          }),
      );
    },
    expected: { out: ['a 1 10', 'b 1 10', 'a 2 20', 'a 3 30', 'b 2 20'] },
  },
  {
    name: 'one keyBy, read by several operations that share its state',
    partitions: ANY_PARTITIONING,
    input: events('a@1 a@2 a@3'),
    define(env, sink) {
      const keyed = eventsOf(env).keyBy(({ key }) => key);
      const count = keyed.getState(COUNT);
      const add = (by: number) => () => {
        count.update(count.value() + by);
        return count.value();
      };
      sink(
        'out',
        keyed
          .map(add(1))
          .sum()
          .union(keyed.map(add(100)).sum()),
      );
    },
    // Counts 1 101, 102 202, 203 303, each summed up by its own branch.
    expected: { out: [1, 101, 103, 303, 306, 606] },
  },
]);

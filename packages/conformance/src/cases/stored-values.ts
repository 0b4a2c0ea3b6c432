import { largeMapState, listState, mapState, setState, topic, valueState } from '@rs/core';
import { GlobalWindow } from '@rs/window';
import { ANY_PARTITIONING } from '../case.ts';
import { events, eventsOf } from '../input.ts';
import { inArea } from './in-area.ts';

const VALUES = topic('values');

/** What plain JSON changes or loses. */
const TYPED: readonly unknown[] = [
  { d: new Date(0), u: undefined, n: Number.NaN, i: Infinity, z: -0, b: 10n },
  new Map<unknown, unknown>([
    [1, new Set(['a', 2])],
    ['1', { nested: new Map() }],
  ]),
  { n: 1700000000123456, list: [], obj: {}, f: 0.1, text: 'NUL \u0000, 日本, 😀, \r\n' },
  Uint8Array.of(0xc3, 0x28, 0, 0xff),
  JSON.parse('{ "__proto__": 1, "constructor": 2, "$rs": "date", "v": 0 }'),
  [null, undefined, [true, -1.5e300]],
];

const input = TYPED.map((value, timestamp) => ({ topic: VALUES.name, key: 'k', value, timestamp }));

export const STORED_VALUES = inArea('state', [
  {
    name: 'values keep their types in every kind of state',
    partitions: ANY_PARTITIONING,
    input,
    define(env, sink) {
      const last = valueState<{ readonly value: unknown }>('last');
      const all = listState('all');
      const byNumber = mapState<number, unknown>('by-number');
      sink(
        'out',
        env
          .fromTopic(VALUES, 'conformance', { until: 'now' })
          .keyBy(() => 'k')
          .process<unknown>({
            open(ctx) {
              ctx.state(last);
              ctx.state(all);
              ctx.state(byNumber);
            },
            processElement(_key, value, ctx, out) {
              const before = ctx.state(last).value();
              if (before !== undefined) out.collect(before.value);
              ctx.state(last).update({ value });
              ctx.state(all).add(value);
              const map = ctx.state(byNumber);
              map.put([...map.keys()].length, value);
              ctx.registerEventTimeTimer(1_000);
            },
            onEventTime: (_time, _key, ctx, out) =>
              out.collect([ctx.state(all).get(), [...ctx.state(byNumber).values()]]),
          }),
      );
    },
    expected: { out: [...TYPED.slice(0, -1), [TYPED, TYPED]] },
  },
  {
    name: 'values keep their types in accumulators and in windows',
    partitions: ANY_PARTITIONING,
    input,
    define(env, sink) {
      const keyed = env.fromTopic(VALUES, 'conformance', { until: 'now' }).keyBy(() => 'k');
      sink(
        'reduced',
        keyed.map((value): readonly unknown[] => [value]).reduce((all, more) => [...all, ...more]),
      );
      sink(
        'elements',
        keyed
          .window(GlobalWindow.create())
          .apply<unknown>((_key, _window, elements, out) => out.collect(elements)),
      );
    },
    expected: { reduced: TYPED.map((_, i) => TYPED.slice(0, i + 1)), elements: [TYPED] },
  },
  {
    name: 'what cannot be stored',
    input: events('a@1'),
    define(env, sink) {
      const keyed = eventsOf(env).keyBy(({ key }) => key);
      const state = keyed.getState(valueState<object>('state'));
      sink(
        'out',
        keyed.process(() => state.update({ retry: () => undefined })),
      );
    },
    expected: {},
    fails: 'RS_INVALID_VALUE',
  },
  {
    name: 'time to live of a value, from its last write',
    // Written at 0, 9 and 18: still there at 9, 18 and 27, gone at 28.
    input: events('w@0 w@9 w@18 r@27 r@28'),
    define(env, sink) {
      const count = valueState('count', { default: () => 0, ttl: 10 });
      sink(
        'out',
        eventsOf(env)
          .keyBy(() => 'all')
          .process<number>({
            open: (ctx) => void ctx.state(count),
            processElement(_all, { key }, ctx, out) {
              const state = ctx.state(count);
              if (key === 'w') state.update(state.value() + 1);
              out.collect(state.value());
            },
          }),
      );
    },
    expected: { out: [1, 2, 3, 3, 0] },
  },
  {
    name: 'time to live of a collection, from the last write to any part of it',
    // a at 0, b at 8: both are there at 17, and gone at 18.
    input: events('a@0 b@8 r@17 r@18 c@19'),
    define(env, sink) {
      const list = listState<string>('list', { ttl: 10 });
      const set = setState<string>('set', { ttl: 10 });
      const map = mapState<string, number>('map', { ttl: 10 });
      sink(
        'out',
        eventsOf(env)
          .keyBy(() => 'all')
          .process<string>({
            open(ctx) {
              ctx.state(list);
              ctx.state(set);
              ctx.state(map);
            },
            processElement(_all, { key, at }, ctx, out) {
              if (key !== 'r') {
                ctx.state(list).add(key);
                ctx.state(set).add(key);
                ctx.state(map).put(key, at);
              }
              const keys = [...ctx.state(map).keys()];
              out.collect(
                [ctx.state(list).get(), ctx.state(set).get(), keys].map((part) => part.join('')).join(' '),
              );
            },
          }),
      );
    },
    expected: { out: ['a a a', 'ab ab ab', 'ab ab ab', '  ', 'c c c'] },
  },
  {
    name: 'time to live counts the latest time of any record, not that of its own',
    input: events('a@0 b@20 a@5 a@14 a@31 a@30'),
    define(env, sink) {
      const keyed = eventsOf(env).keyBy(({ key }) => key);
      const seen = keyed.getState(valueState('seen', { default: () => 0, ttl: 10 }));
      sink(
        'out',
        keyed.process<string>((key, { at }, _ctx, out) => {
          seen.update(seen.value() + 1);
          out.collect(`${key} ${at} ${seen.value()}`);
        }),
      );
    },
    // b moves the clock to 20: a's entry of 0 is gone, that of the record of 5 is written at 20 and lasts until 30.
    expected: { out: ['a 0 1', 'b 20 1', 'a 5 1', 'a 14 2', 'a 31 1', 'a 30 2'] },
  },
  {
    name: 'large map: reads see what was there at the call; loops go by the texts of the keys',
    partitions: ANY_PARTITIONING,
    async: true,
    input: events('a:10@1 a:9@2 a:10@3 a:2@4 a:0@5'),
    define(env, sink) {
      const times = largeMapState<number, number>('times');
      sink(
        'out',
        eventsOf(env)
          .keyBy(({ key }) => key)
          .process<string>({
            open: (ctx) => void ctx.state(times),
            async processElement(_key, { amount, at }, ctx, out) {
              const map = ctx.state(times);
              if (amount === 0) {
                // n:10 comes before n:2 and n:9. What a loop removes ahead of itself it does not see.
                for await (const [key, time] of map.entries()) {
                  out.collect(`${key}: ${time}`);
                  if (key === 10) map.remove(2);
                }
                map.clear();
                out.collect(`empty ${await map.isEmpty()}`);
                return;
              }
              const before = map.get(amount);
              map.put(amount, at);
              out.collect(`${amount} ${await before} ${await map.get(amount)} ${await map.contains(9)}`);
            },
          }),
      );
    },
    expected: {
      out: [
        '10 undefined 1 false',
        '9 undefined 2 true',
        '10 1 3 true',
        '2 undefined 4 true',
        '10: 3',
        '9: 2',
        'empty true',
      ],
    },
  },
]);

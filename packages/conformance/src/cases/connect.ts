import {
  type DataStream,
  type KeyedCoProcessFunction,
  outputTag,
  type ProcessContext,
  topic,
  valueState,
} from '@rs/core';
import { WatermarkStrategy } from '@rs/watermark';
import { ANY_PARTITIONING } from '../case.ts';
import { type Event, events, eventsOf } from '../input.ts';
import { firstWord, stamped } from '../results.ts';
import { PATIENT } from '../settings.ts';
import { inArea } from './in-area.ts';

const RIGHTS = topic<Event>('rights');
const SIDE = outputTag<string>('side');
const TOTAL = valueState('total', { default: () => 0 });
const PRICE = valueState<number>('price');

/** The two halves of a topic, which come in its order: amounts above 0 on the left, below on the right. */
function halves(all: DataStream<Event>) {
  return {
    left: all.filter(({ amount }) => amount > 0),
    right: all.filter(({ amount }) => amount < 0),
  };
}

const keyOfEvent = ({ key }: Event) => key;

/** Adds up the amounts of a key from both sides, and tells the sum at 1000. */
const sumOfBoth: KeyedCoProcessFunction<string, Event, Event, string> = {
  open: (ctx) => void ctx.state(TOTAL),
  processElement1: (_key, event, ctx) => addUp(event, ctx),
  processElement2: (_key, event, ctx) => addUp(event, ctx),
  onEventTime: (_time, key, ctx, out) => out.collect(`${key} ${ctx.state(TOTAL).value()}`),
};

function addUp({ amount }: Event, ctx: ProcessContext<string>): void {
  const total = ctx.state(TOTAL);
  total.update(total.value() + amount);
  ctx.registerEventTimeTimer(1_000);
}

const byTheirTime = WatermarkStrategy.forMonotonousTimestamps<Event>();

export const CONNECT = inArea('several inputs', [
  {
    name: 'connect without keys: map',
    input: events('a:1@1 b:-2@2 c:3@3 d:-4@4'),
    define(env, sink) {
      const { left, right } = halves(eventsOf(env));
      sink(
        'out',
        left.connect(right).map(
          ({ key }) => `left ${key}`,
          ({ amount }) => amount,
        ),
      );
    },
    expected: { out: ['left a', -2, 'left c', -4] },
  },
  {
    name: 'connect without keys: flatMap, also to nothing',
    partitions: ANY_PARTITIONING,
    input: events('a:1@1 b:-2@2 c:3@3 d:-4@4'),
    define(env, sink) {
      const { left, right } = halves(eventsOf(env));
      sink(
        'out',
        left.connect(right).flatMap(
          ({ key, amount }) => (amount === 1 ? null : [key, key]),
          ({ key, amount }) => (amount === -2 ? undefined : [`${key}${amount}`]),
        ),
      );
    },
    expected: { out: ['c', 'c', 'd-4'] },
  },
  {
    name: 'connect without keys: process, side outputs, times',
    partitions: ANY_PARTITIONING,
    input: events('a:1@1 b:-2@2 c:3@3'),
    define(env, sink) {
      const { left, right } = halves(eventsOf(env));
      const both = left.connect(right).process<string>({
        processElement1: ({ key }, ctx, out) => out.collect(`left ${key} ${ctx.currentEventTime()}`),
        processElement2: ({ key }, ctx) => ctx.output(SIDE, `right ${key} ${ctx.currentEventTime()}`),
      });
      sink('main', stamped(both));
      sink('side', stamped(both.getSideOutput(SIDE)));
    },
    expected: { main: ['left a 1 @ 1', 'left c 3 @ 3'], side: ['right b 2 @ 2'] },
  },
  {
    name: 'connected by key: both sides see the state of the key',
    input: events('a:5@1 a:-2@2 b:-3@3 b:7@4 a:6@5 b:-1@6 a:-4@7'),
    define(env, sink) {
      const { left, right } = halves(eventsOf(env));
      sink(
        'out',
        left
          .keyBy(keyOfEvent)
          .connect(right.keyBy(keyOfEvent))
          .process<string>({
            open: (ctx) => void ctx.state(PRICE),
            processElement1: (_key, { amount }, ctx) => ctx.state(PRICE).update(amount),
            processElement2: (key, { amount }, ctx, out) =>
              out.collect(`${key} ${-amount} at ${ctx.state(PRICE).value() ?? 'no price'}`),
          }),
      );
    },
    expected: { out: ['a 2 at 5', 'b 3 at no price', 'b 1 at 7', 'a 4 at 6'] },
  },
  {
    name: 'connect, then keyBy; the handle of a state that both share',
    input: events('a:5@1 b:-2@2 a:-3@3'),
    define(env, sink) {
      const { left, right } = halves(eventsOf(env));
      const keyed = left.connect(right).keyBy(keyOfEvent, keyOfEvent);
      const total = keyed.getState(TOTAL);
      const add = (key: string, { amount }: Event): string => {
        total.update(total.value() + amount);
        return `${key} ${total.value()}`;
      };
      sink(
        'out',
        keyed.process<string>({
          processElement1: (key, event, _ctx, out) => out.collect(`left ${add(key, event)}`),
          processElement2: (key, event, _ctx, out) => out.collect(`right ${add(key, event)}`),
        }),
      );
    },
    expected: { out: ['left a 5', 'right b -2', 'right a 2'] },
  },
  {
    name: 'connected topics: what has met in the state of a key, told by a timer at the end',
    partitions: ANY_PARTITIONING,
    keyOf: firstWord,
    settings: PATIENT,
    input: [...events('a:1@1 b:2@2 a:4@3'), ...events('b:10@1 c:20@2 a:40@3', RIGHTS)],
    define(env, sink) {
      sink(
        'out',
        stamped(
          eventsOf(env).keyBy(keyOfEvent).connect(eventsOf(env, RIGHTS).keyBy(keyOfEvent)).process(sumOfBoth),
        ),
      );
    },
    expected: { out: ['a 45 @ 1000', 'b 12 @ 1000', 'c 20 @ 1000'] },
  },
  {
    name: 'connected topics that differ in their numbers of partitions',
    topics: { events: 4, rights: 3 },
    keyOf: firstWord,
    settings: PATIENT,
    input: [...events('a:1@1 b:2@2 c:3@3 d:4@4 a:5@5'), ...events('d:10@1 c:20@2 b:30@3 e:40@4', RIGHTS)],
    define(env, sink) {
      sink(
        'out',
        eventsOf(env).keyBy(keyOfEvent).connect(eventsOf(env, RIGHTS).keyBy(keyOfEvent)).process(sumOfBoth),
      );
    },
    expected: { out: ['a 6', 'b 32', 'c 23', 'd 14', 'e 40'] },
  },
  {
    name: 'timers wait for both inputs',
    input: events('a:1@100 a:-1@10 a:1@200 a:-1@60 a:1@300'),
    define(env, sink) {
      const { left, right } = halves(eventsOf(env));
      sink(
        'out',
        left
          .assignTimestampsAndWatermarks(byTheirTime)
          .keyBy(keyOfEvent)
          .connect(right.assignTimestampsAndWatermarks(byTheirTime).keyBy(keyOfEvent))
          .process<string>({
            processElement1(_key, { at }, ctx, out) {
              out.collect(`left ${at}, watermark ${ctx.currentWatermark()}`);
              if (at === 100) ctx.registerEventTimeTimer(50);
            },
            processElement2: (_key, { at }, ctx, out) =>
              out.collect(`right ${at}, watermark ${ctx.currentWatermark()}`),
            onEventTime: (time, _key, ctx, out) =>
              out.collect(`timer ${time}, watermark ${ctx.currentWatermark()}`),
          }),
      );
    },
    expected: {
      out: [
        'left 100, watermark -Infinity',
        'right 10, watermark 9',
        'left 200, watermark 9',
        'timer 50, watermark 59',
        'right 60, watermark 59',
        'left 300, watermark 59',
      ],
    },
  },
]);

import type { DataStream, Evictor, StreamEnvironment } from '@rs/core';
import {
  CountEvictor,
  CountTrigger,
  DeltaEvictor,
  GlobalWindow,
  TimeEvictor,
  TumblingWindow,
} from '@rs/window';
import { ANY_PARTITIONING } from '../case.ts';
import { type Event, events, eventsOf } from '../input.ts';
import { contents } from '../results.ts';
import { PATIENT } from '../settings.ts';
import { inArea } from './in-area.ts';

function evicted(env: StreamEnvironment, evictor: Evictor<Event>): DataStream<string> {
  return eventsOf(env)
    .keyBy(({ key }) => key)
    .window(TumblingWindow.of(10))
    .evictor(evictor)
    .apply(contents);
}

export const EVICTORS = inArea('evictors', [
  {
    name: 'count: the last to arrive',
    partitions: ANY_PARTITIONING,
    settings: PATIENT,
    input: events('a:1@1 a:2@4 a:3@2 a:4@8 a:5@14 b:6@3'),
    define: (env, sink) => sink('out', evicted(env, CountEvictor.of(2))),
    expected: { out: ['a [0,10): 3 4', 'b [0,10): 6', 'a [10,20): 5'] },
  },
  {
    name: 'time: those near to the newest, wherever that stands',
    partitions: ANY_PARTITIONING,
    settings: PATIENT,
    // The newest is 8: those above 3 stay.
    input: events('a:1@1 a:2@8 a:3@3 a:4@4'),
    define: (env, sink) => sink('out', evicted(env, TimeEvictor.of(5))),
    expected: { out: ['a [0,10): 2 4'] },
  },
  {
    name: 'delta: those near to the last to arrive',
    partitions: ANY_PARTITIONING,
    settings: PATIENT,
    // The last is 4: those less than 3 from it stay.
    input: events('a:1@1 a:5@2 a:6@3 a:4@4'),
    define: (env, sink) =>
      sink(
        'out',
        evicted(
          env,
          DeltaEvictor.of(3, (older, newer) => Math.abs(older.amount - newer.amount)),
        ),
      ),
    expected: { out: ['a [0,10): 5 6 4'] },
  },
  {
    name: 'before the function, or after it',
    partitions: ANY_PARTITIONING,
    input: events('a:1@1 a:2@2 a:3@3 a:4@4 a:5@5'),
    define(env, sink) {
      const windows = eventsOf(env)
        .keyBy(({ key }) => key)
        .window(GlobalWindow.create())
        .trigger(CountTrigger.of(2));
      const list = (evictor: Evictor<Event>) =>
        windows
          .evictor(evictor)
          .apply<string>((_key, _window, elements, out) =>
            out.collect(elements.map(({ amount }) => amount).join(' ')),
          );
      sink('before', list(CountEvictor.of(1)));
      sink('after', list(CountEvictor.of(1, { after: true })));
    },
    expected: { before: ['2', '4', '5'], after: ['1 2', '2 3 4', '4 5'] },
  },
  {
    name: 'an aggregate over what an evictor leaves',
    partitions: ANY_PARTITIONING,
    settings: PATIENT,
    input: events('a:1@1 a:2@4 a:4@2 a:8@8 a:16@14'),
    define(env, sink) {
      const windows = eventsOf(env)
        .keyBy(({ key }) => key)
        .window(TumblingWindow.of(10))
        .evictor(CountEvictor.of(2));
      sink(
        'sum',
        windows.sum(({ amount }) => amount),
      );
      sink('count', windows.count());
      sink(
        'reduce',
        windows.reduce(
          (a, b) => ({ ...b, amount: a.amount - b.amount }),
          ({ amount }) => amount,
        ),
      );
    },
    expected: { sum: [12, 16], count: [2, 1], reduce: [-4, 16] },
  },
  {
    name: 'an evictor of one’s own; what is left empty emits nothing',
    partitions: ANY_PARTITIONING,
    settings: PATIENT,
    input: events('a:-1@1 a:-2@2 b:-3@3 b:4@4 b:-5@5'),
    define(env, sink) {
      const positive: Evictor<Event> = {
        evictBefore: (elements) => elements.filter(({ value }) => value.amount > 0),
        describe: () => 'positive',
      };
      sink('out', evicted(env, positive));
    },
    expected: { out: ['b [0,10): 4'] },
  },
]);

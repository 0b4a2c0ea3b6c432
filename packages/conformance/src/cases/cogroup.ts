import { type CogroupFunction, outputTag, topic } from '@rs/core';
import { CountEvictor, CountTrigger, PurgingTrigger, SessionWindow, TumblingWindow } from '@rs/window';
import { ANY_PARTITIONING } from '../case.ts';
import { type Event, events, eventsOf } from '../input.ts';
import { bounds, stamped } from '../results.ts';
import { PATIENT } from '../settings.ts';
import { inArea } from './in-area.ts';

const RIGHTS = topic<Event>('rights');
const LATE = outputTag<Event>('late');

const keyOfEvent = ({ key }: Event) => key;
const amounts = (list: readonly Event[]) => list.map(({ amount }) => amount).join(' ');

/** A window as `a [0,10): 1 2 | 3`, with the amounts of both sides. */
const bothContents: CogroupFunction<string, Event, Event, string> = (key, window, lefts, rights, out) =>
  out.collect(`${key} ${bounds(window)}: ${amounts(lefts)} | ${amounts(rights)}`);

export const COGROUP = inArea('several inputs', [
  {
    name: 'cogroup: the elements of both sides, also where one has none',
    partitions: ANY_PARTITIONING,
    settings: PATIENT,
    input: [...events('a:1@1 a:2@9 b:3@2 a:4@12'), ...events('a:10@5 a:20@3 c:30@4 b:40@15', RIGHTS)],
    define(env, sink) {
      sink(
        'out',
        stamped(
          eventsOf(env)
            .keyBy(keyOfEvent)
            .cogroup(eventsOf(env, RIGHTS).keyBy(keyOfEvent))
            .window(TumblingWindow.of(10))
            .apply(bothContents),
        ),
      );
    },
    expected: {
      out: [
        'a [0,10): 1 2 | 10 20 @ 9',
        'b [0,10): 3 |  @ 9',
        'c [0,10):  | 30 @ 9',
        'a [10,20): 4 |  @ 19',
        'b [10,20):  | 40 @ 19',
      ],
    },
  },
  {
    name: 'cogroup: sessions merge over both sides',
    partitions: ANY_PARTITIONING,
    settings: PATIENT,
    input: [...events('a:1@0 a:2@18 a:3@60'), ...events('a:10@9 a:20@40', RIGHTS)],
    define(env, sink) {
      sink(
        'out',
        eventsOf(env)
          .keyBy(keyOfEvent)
          .cogroup(eventsOf(env, RIGHTS).keyBy(keyOfEvent))
          .window(SessionWindow.withGap(10))
          .apply(bothContents),
      );
    },
    expected: { out: ['a [0,28): 1 2 | 10', 'a [40,50):  | 20', 'a [60,70): 3 | '] },
  },
  {
    name: 'cogroup: trigger and evictor see both sides',
    input: events('a:1@1 a:-10@2 a:2@3 a:-20@4 a:3@5 a:-30@6'),
    define(env, sink) {
      const all = eventsOf(env);
      const left = all.filter(({ amount }) => amount > 0).keyBy(keyOfEvent);
      const right = all.filter(({ amount }) => amount < 0).keyBy(keyOfEvent);
      const windows = left.cogroup(right).window(TumblingWindow.of(10));
      sink('trigger', windows.trigger(PurgingTrigger.of(CountTrigger.of(4))).apply(bothContents));
      sink('evictor', windows.evictor(CountEvictor.of(3)).apply(bothContents));
    },
    expected: {
      trigger: ['a [0,10): 1 2 | -10 -20', 'a [0,10): 3 | -30'],
      evictor: ['a [0,10): 3 | -20 -30'],
    },
  },
  {
    name: 'cogroup: late records of either side',
    input: events('a:1@5 a:-10@6 a:2@12 a:-20@7 a:3@8 a:-30@25'),
    define(env, sink) {
      const all = eventsOf(env);
      const left = all.filter(({ amount }) => amount > 0).keyBy(keyOfEvent);
      const right = all.filter(({ amount }) => amount < 0).keyBy(keyOfEvent);
      const grouped = left
        .cogroup(right)
        .window(TumblingWindow.of(10))
        .sideOutputLateData(LATE)
        .apply(bothContents, { uid: 'windows' });
      sink('out', grouped);
      sink(
        'late',
        grouped.getSideOutput(LATE).map(({ amount }) => amount),
      );
    },
    // Behind 12 the watermark of both is 11.
    expected: {
      out: ['a [0,10): 1 | -10', 'a [10,20): 2 | ', 'a [20,30):  | -30'],
      late: [-20, 3],
    },
    late: { windows: 2 },
  },
]);

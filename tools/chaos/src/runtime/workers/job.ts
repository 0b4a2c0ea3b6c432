import {
  type DataStream,
  type JobDefinition,
  type KeyedStream,
  type Message,
  defineJob,
  mapState,
  outputTag,
  toTopic,
  valueState,
} from '@rs/core';
import { redisHash, redisStream } from '@rs/runtime-redis';
import { SessionWindow, TumblingWindow } from '@rs/window';
import type { Count, ClockTimerResult, LateRecord, TimerResult, WindowResult } from '../load/results.ts';
import type { NewRecord } from '../load/records.ts';
import { LOAD } from '../load/settings.ts';
import { delayOf, takesBack, timerOf } from '../load/timers.ts';
import type { Once } from './once.ts';

export interface JobOptions {
  readonly seed: number;
  /** Throws at planned places. */
  readonly once: Pick<Once, 'pass'>;
  /** A sink outside of Redis. */
  readonly deliver: (count: Count) => void;
}

type Keyed = KeyedStream<string, NewRecord>;

/** Everything that the engine keeps exactly: counts, windows, sessions, timers of both clocks, and each kind of sink. */
export function jobOf(options: JobOptions): JobDefinition {
  return defineJob((env) => {
    const records = env
      .fromMqTopicWithId(LOAD.source, LOAD.topic, LOAD.group)
      .map((message) => recordOf(message, options.once));
    const keyed = records.keyByMessageKey({ uid: 'keys' });
    counts(keyed, options);
    windows(keyed, options);
    sessions(keyed, options);
    timers(keyed, options);
    clockTimers(keyed, options);
  });
}

function recordOf({ key = '', value, timestamp }: Message<unknown>, once: Pick<Once, 'pass'>): NewRecord {
  const { n } = value as { readonly n: number };
  once.pass('map', n);
  return { n, key, time: timestamp };
}

function counts(keyed: Keyed, { once, deliver }: JobOptions): DataStream<Count> {
  const count = valueState('count', { default: () => 0 });
  return keyed
    .process<Count>(
      {
        open: (ctx) => void ctx.state(count),
        processElement: (key, { n }, ctx, out) => {
          const state = ctx.state(count);
          state.update(state.value() + 1);
          out.collect({ key, n, count: state.value() });
          // Behind everything that has to be undone.
          once.pass('count', n);
        },
      },
      { uid: 'counts' },
    )
    .addSink(redisHash('counts', { field: ({ key }) => key, value: (each) => each.count }), {
      uid: 'counts-hash',
    })
    .addSink(toTopic<Count>(LOAD.counts.topic, { key: ({ key }) => key }), { uid: 'counts-topic' })
    .addSink(
      (each) => {
        once.pass('sink', each.n);
        deliver(each);
      },
      { uid: 'counts-function' },
    );
}

const LATE = outputTag<NewRecord>('late');

function windows(keyed: Keyed, { once }: JobOptions): void {
  const results = keyed
    .window(TumblingWindow.of(LOAD.window))
    .allowedLateness(LOAD.lateness)
    .sideOutputLateData(LATE)
    .apply<WindowResult>(
      (key, { start, end }, elements, out) => {
        out.collect({ key, start, end, records: elements.map(({ n }) => n) });
        once.pass('window', `${key} ${start} ${elements.length}`);
      },
      { uid: 'windows' },
    );
  results
    .addSink(toTopic<WindowResult>(LOAD.windows.topic, { key: ({ key }) => key }), { uid: 'windows-topic' })
    .addSink(redisHash('windows', { field: ({ key, start }) => `${key} ${start}` }), { uid: 'windows-hash' });
  results
    .getSideOutput(LATE)
    .map(({ key, n }): LateRecord => ({ key, n }))
    .addSink(redisStream('late'), { uid: 'late-stream' });
}

function sessions(keyed: Keyed, { once }: JobOptions): void {
  keyed
    .window(SessionWindow.withGap(LOAD.gap))
    .aggregate(
      {
        createAccumulator: (): number[] => [],
        add: ({ n }, numbers) => {
          once.pass('session', n);
          return [...numbers, n];
        },
        getResult: (numbers) => [...numbers].sort((a, b) => a - b),
        merge: (a, b) => [...a, ...b],
      },
      (records, { key, window: { start, end } }): WindowResult => ({ key, start, end, records }),
      { uid: 'sessions' },
    )
    .addSink(redisStream('sessions'), { uid: 'sessions-stream' });
}

/** One timer for each record, unless the next one of the key takes it back. */
function timers(keyed: Keyed, { seed, once }: JobOptions): void {
  const before = valueState<number>('timer-before');
  const fired = valueState('timers-fired', { default: () => 0 });
  keyed
    .process<TimerResult>(
      {
        open: (ctx) => {
          ctx.state(before);
          ctx.state(fired);
        },
        processElement: (_, record, ctx) => {
          const earlier = ctx.state(before).value();
          if (earlier !== undefined && takesBack(seed, record.n)) ctx.deleteEventTimeTimer(earlier);
          const time = timerOf(seed, record);
          ctx.registerEventTimeTimer(time);
          ctx.state(before).update(time);
        },
        onEventTime: (time, key, ctx, out) => {
          const nth = ctx.state(fired).value() + 1;
          ctx.state(fired).update(nth);
          out.collect({ key, time, nth });
          once.pass('timer', `${key} ${time}`);
        },
      },
      { uid: 'timers' },
    )
    .addSink(redisStream('timers'), { uid: 'timers-stream' });
}

/** One timer for each record on the machine's clock; what it stands for is kept in a map. */
function clockTimers(keyed: Keyed, { seed, once }: JobOptions): void {
  const waiting = mapState<number, number[]>('waiting');
  keyed
    .process<ClockTimerResult>(
      {
        open: (ctx) => void ctx.state(waiting),
        processElement: (_, { n }, ctx) => {
          const time = ctx.currentProcessingTime() + delayOf(seed, n);
          const map = ctx.state(waiting);
          map.put(time, [...(map.get(time) ?? []), n]);
          ctx.registerProcessingTimeTimer(time);
        },
        onProcessingTime: (time, key, ctx, out) => {
          const map = ctx.state(waiting);
          out.collect({ key, time, records: map.get(time) ?? [] });
          map.remove(time);
          once.pass('timer', `clock ${key} ${time}`);
        },
      },
      { uid: 'clock-timers' },
    )
    .addSink(redisStream('clock-timers'), { uid: 'clock-timers-stream' });
}

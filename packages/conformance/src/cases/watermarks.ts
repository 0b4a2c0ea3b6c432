import type { DataStream, WatermarkGenerator, WatermarkOutput } from '@rs/core';
import { WatermarkStrategy } from '@rs/watermark';
import { TumblingWindow } from '@rs/window';
import { ANY_PARTITIONING } from '../case.ts';
import { type Event, events, eventsOf, sentAt } from '../input.ts';
import { contents, stamped } from '../results.ts';
import { inArea } from './in-area.ts';

/** The watermark that each record sees, which has raised it before. */
function watermarks(stream: DataStream<Event>): DataStream<string> {
  return stream
    .keyBy(() => 'all')
    .process<string>((_all, { key }, ctx, out) => out.collect(`${key} ${ctx.currentWatermark()}`));
}

const byTheirTime = WatermarkStrategy.forMonotonousTimestamps<Event>();
const ofKey = (stream: DataStream<Event>, wanted: string) => stream.filter(({ key }) => key === wanted);

/** Emits the amount of each record. */
class AmountGenerator implements WatermarkGenerator<Event> {
  onEvent({ amount }: Event, _timestamp: number, output: WatermarkOutput): void {
    output.emitWatermark(amount);
  }

  onPeriodicEmit(): void {
    // Nothing else.
  }
}

/** Ascending, and says that its input is idle with a record of amount 0. */
class IdleAtZero implements WatermarkGenerator<Event> {
  #max = -Infinity;
  #idle = false;

  onEvent({ amount }: Event, timestamp: number): void {
    this.#max = Math.max(this.#max, timestamp);
    this.#idle = amount === 0;
  }

  onPeriodicEmit(output: WatermarkOutput): void {
    output.emitWatermark(this.#max - 1);
    if (this.#idle) output.markIdle();
  }
}

export const WATERMARKS = inArea('time', [
  {
    name: 'a topic: the largest time so far − 1, before the record',
    input: events('a@5 b@3 c@9 d@9 e@-4'),
    define: (env, sink) => sink('out', watermarks(eventsOf(env))),
    expected: { out: ['a 4', 'b 4', 'c 8', 'd 8', 'e 8'] },
  },
  {
    name: 'a topic, with the out-of-orderness of the environment',
    settings: { watermarkOutOfOrderness: 5 },
    input: events('a@5 b@3 c@9 d@15'),
    define: (env, sink) => sink('out', watermarks(eventsOf(env))),
    expected: { out: ['a -1', 'b -1', 'c 3', 'd 9'] },
  },
  {
    name: 'golden: bounded out-of-orderness',
    input: events('a@1000 b@2000 c@3000'),
    define(env, sink) {
      const strategy = WatermarkStrategy.forBoundedOutOfOrderness<Event>('5s');
      sink('out', watermarks(eventsOf(env).assignTimestampsAndWatermarks(strategy)));
    },
    expected: { out: ['a -4001', 'b -3001', 'c -2001'] },
  },
  {
    name: 'monotonous timestamps that are not',
    input: events('a@3000 b@2000 c@1000 d@3001'),
    define: (env, sink) => sink('out', watermarks(eventsOf(env).assignTimestampsAndWatermarks(byTheirTime))),
    expected: { out: ['a 2999', 'b 2999', 'c 2999', 'd 3000'] },
  },
  {
    name: 'assigned times take the place of those of the messages, in windows and in the watermark',
    input: sentAt(1_700_000_000_000, events('a:1@1000 a:2@1500 a:3@2500')),
    define(env, sink) {
      const assigned = eventsOf(env).assignTimestampsAndWatermarks(
        WatermarkStrategy.forBoundedOutOfOrderness(0).withTimestampAssigner((event: Event) => event.at),
      );
      sink('watermarks', watermarks(assigned));
      sink(
        'windows',
        assigned
          .keyBy(({ key }) => key)
          .window(TumblingWindow.of('1s'))
          .apply(contents),
      );
    },
    expected: {
      watermarks: ['a 999', 'a 1499', 'a 2499'],
      windows: ['a [1000,2000): 1 2', 'a [2000,3000): 3'],
    },
  },
  {
    name: 'an assigner with a generator; the assigner knows the time that the record had',
    input: events('a:3@1000 b:1@1001 c:5@1002'),
    define(env, sink) {
      const assigned = eventsOf(env).assignTimestampsAndWatermarks(
        ({ amount }, time) => time - 1_000 + amount * 10,
        () => byTheirTime.createWatermarkGenerator(),
      );
      sink('watermarks', watermarks(assigned));
      sink('times', stamped(assigned.map(({ key }) => key)));
    },
    expected: { watermarks: ['a 29', 'b 29', 'c 51'], times: ['a @ 30', 'b @ 11', 'c @ 52'] },
  },
  {
    name: 'a generator may emit what it likes, the watermark never falls',
    input: events('a:100@1 b:50@2 c:100@3 d:200@4'),
    define: (env, sink) =>
      sink('out', watermarks(eventsOf(env).assignTimestampsAndWatermarks(() => new AmountGenerator()))),
    expected: { out: ['a 100', 'b 100', 'c 100', 'd 200'] },
  },
  {
    name: 'a generator that never emits: nothing fires before the end, and nothing is late',
    partitions: ANY_PARTITIONING,
    input: events('a:1@5 a:2@500 b:3@7 a:4@6 b:5@1'),
    define(env, sink) {
      const timeless = eventsOf(env).assignTimestampsAndWatermarks(WatermarkStrategy.noWatermarks());
      sink(
        'windows',
        timeless
          .keyBy(({ key }) => key)
          .window(TumblingWindow.of(10))
          .apply(contents),
      );
      sink('watermarks', watermarks(timeless));
    },
    expected: {
      windows: ['a [0,10): 1 4', 'b [0,10): 3 5', 'a [500,510): 2'],
      watermarks: ['a -Infinity', 'a -Infinity', 'b -Infinity', 'a -Infinity', 'b -Infinity'],
    },
  },
  {
    name: 'a later strategy replaces an earlier one',
    input: events('a@100 b@200'),
    define(env, sink) {
      const twice = eventsOf(env)
        .assignTimestampsAndWatermarks(byTheirTime)
        .assignTimestampsAndWatermarks(WatermarkStrategy.forBoundedOutOfOrderness(50));
      sink('out', watermarks(twice));
    },
    expected: { out: ['a 49', 'b 149'] },
  },
  {
    name: 'two inputs: the smaller watermark',
    input: events('fast@100 slow@10 fast@200 slow@20 fast@300'),
    define(env, sink) {
      const all = eventsOf(env);
      const fast = ofKey(all, 'fast').assignTimestampsAndWatermarks(byTheirTime);
      const slow = ofKey(all, 'slow').assignTimestampsAndWatermarks(byTheirTime);
      sink('out', watermarks(fast.union(slow)));
    },
    expected: { out: ['fast -Infinity', 'slow 9', 'fast 9', 'slow 19', 'fast 19'] },
  },
  {
    name: 'two inputs: a fast one makes no record of the slow one late',
    input: events('fast:1@100 slow:2@10 fast:3@200 slow:4@11 slow:5@30'),
    define(env, sink) {
      const all = eventsOf(env);
      const fast = ofKey(all, 'fast').assignTimestampsAndWatermarks(byTheirTime);
      const slow = ofKey(all, 'slow').assignTimestampsAndWatermarks(byTheirTime);
      sink(
        'out',
        fast
          .union(slow)
          .keyBy(({ key }) => key)
          .window(TumblingWindow.of(10))
          .apply(contents),
      );
    },
    expected: {
      out: ['slow [10,20): 2 4', 'slow [30,40): 5', 'fast [100,110): 1', 'fast [200,210): 3'],
    },
  },
  {
    name: 'two inputs: one without watermarks holds the other back until it ends',
    input: events('timed:1@100 timeless:2@10 timed:3@200'),
    define(env, sink) {
      const all = eventsOf(env);
      const timed = ofKey(all, 'timed').assignTimestampsAndWatermarks(byTheirTime);
      const timeless = ofKey(all, 'timeless').assignTimestampsAndWatermarks(WatermarkStrategy.noWatermarks());
      sink('out', watermarks(timed.union(timeless)));
    },
    expected: { out: ['timed -Infinity', 'timeless -Infinity', 'timed -Infinity'] },
  },
  {
    name: 'two inputs: an idle one is left out, and what it was left out for never comes back',
    // The record that makes slow idle goes no further than its generator.
    input: events('fast:1@100 slow:1@10 slow:0@15 fast:1@200 slow:1@20 fast:1@300 slow:1@250 fast:1@400'),
    define(env, sink) {
      const all = eventsOf(env);
      const fast = ofKey(all, 'fast').assignTimestampsAndWatermarks(byTheirTime);
      const slow = ofKey(all, 'slow')
        .assignTimestampsAndWatermarks(() => new IdleAtZero())
        .filter(({ amount }) => amount !== 0);
      sink('out', watermarks(fast.union(slow)));
    },
    // Idle, slow lets time go to 199. Back at 19 it holds it there, until it has come to 249 itself.
    expected: {
      out: ['fast -Infinity', 'slow 9', 'fast 199', 'slow 199', 'fast 199', 'slow 249', 'fast 249'],
    },
  },
  {
    name: 'watermarks pass every operation',
    input: events('a:1@10 a:2@20 a:3@30'),
    define(env, sink) {
      const keyed = eventsOf(env)
        .map((event) => event)
        .filter(() => true)
        .flatMap((event) => [event])
        .keyBy(({ key }) => key)
        .map((event) => event);
      const passed = keyed
        .process<Event>((_key, event, _ctx, out) => out.collect(event))
        .keyBy(({ key }) => key)
        .reduce((_a, b) => b);
      sink('out', watermarks(passed));
    },
    expected: { out: ['a 9', 'a 19', 'a 29'] },
  },
  {
    name: 'times that are none',
    input: events('a@1'),
    define(env, sink) {
      const strategy = WatermarkStrategy.noWatermarks<Event>().withTimestampAssigner(() => Number.NaN);
      sink('out', eventsOf(env).assignTimestampsAndWatermarks(strategy));
    },
    expected: {},
    fails: 'RS_INVALID_TIMESTAMP',
  },
]);

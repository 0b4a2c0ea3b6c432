import { describe, expect, test } from '@jest/globals';
import { type DataStream, mapState, valueState } from '@rs/core';
import { WatermarkStrategy } from '@rs/watermark';
import { TumblingWindow } from '@rs/window';
import fc from 'fast-check';
import type { SourceNode } from '../graph/node.ts';
import { planTopology } from '../graph/topology.ts';
import { itemReceiver } from '../operator/stream-item.ts';
import { newTask } from '../test-support/new-task.ts';
import { TestEnvironment } from '../test-support/test-environment.ts';
import { ChainedJob } from './chained.ts';

interface Event {
  readonly key: string;
  readonly time: number;
}

type Job = (left: DataStream<Event>, right: DataStream<Event>) => DataStream<unknown>;

/** A job of two sources with partitions of their own, fed by hand. */
class PartitionedRun {
  readonly results: string[] = [];
  readonly #chained: ChainedJob;
  readonly #sources: readonly SourceNode[];
  readonly #partitions: readonly [number, number];

  constructor(job: Job, partitions: readonly [left: number, right: number]) {
    const env = new TestEnvironment();
    job(env.input<Event>('left'), env.input<Event>('right')).addSink(() => undefined);
    const graph = env.graph();
    this.#partitions = partitions;
    this.#sources = graph.sources;
    this.#chained = new ChainedJob(
      planTopology(graph, ({ name }) => partitions[name === 'left' ? 0 : 1]),
      newTask(),
      () =>
        itemReceiver((item) => {
          if (item.type === 'record') this.results.push(`${String(item.value)}@${item.timestamp}`);
        }),
    );
    this.#chained.start([]);
  }

  /** @param place number of the partition, which is taken as often as there are some */
  send(side: 0 | 1, event: Event, place: number): this {
    this.#head(side, place % this.#partitions[side]).record(event, event.time, undefined);
    return this;
  }

  watermark(side: 0 | 1, timestamp: number): this {
    for (let partition = 0; partition < this.#partitions[side]; partition++)
      this.#head(side, partition).watermark(timestamp);
    return this;
  }

  end(): this {
    for (const side of [0, 1] as const) {
      for (let partition = 0; partition < this.#partitions[side]; partition++)
        this.#head(side, partition).end();
    }
    return this;
  }

  #head(side: 0 | 1, partition: number) {
    return this.#chained.head(this.#sources[side] as SourceNode, partition);
  }
}

/** Nothing is late, whatever order the partitions are read in. */
const patient = WatermarkStrategy.forBoundedOutOfOrderness<Event>(10_000).withTimestampAssigner(
  ({ time }) => time,
);

const seen = valueState('seen', { default: () => 0 });

const JOBS: Record<string, Job> = {
  'a state per key, told at the end': (left, right) =>
    left
      .keyBy(({ key }) => key)
      .connect(right.keyBy(({ key }) => key))
      .process<string>({
        open: (ctx) => void ctx.state(seen),
        processElement1: (_key, _event, ctx) => {
          ctx.state(seen).update(ctx.state(seen).value() + 1);
          ctx.registerEventTimeTimer(1000);
        },
        processElement2: (_key, _event, ctx) => {
          ctx.state(seen).update(ctx.state(seen).value() + 100);
          ctx.registerEventTimeTimer(1000);
        },
        onEventTime: (_time, key, ctx, out) => out.collect(`${key} ${ctx.state(seen).value()}`),
      }),
  'windows of both': (left, right) =>
    left
      .assignTimestampsAndWatermarks(patient)
      .keyBy(({ key }) => key)
      .cogroup(right.assignTimestampsAndWatermarks(patient).keyBy(({ key }) => key))
      .window(TumblingWindow.of(10))
      .apply<string>((key, { start }, lefts, rights, out) =>
        out.collect(`${key} ${start} ${lefts.length}|${rights.length}`),
      ),
  'results of one connected with the other': (left, right) =>
    left
      .keyBy(({ key }) => key)
      .map(({ time }) => time)
      .reduce((a, b) => a + b)
      .keyBy((sum) => sum % 3)
      .connect(right.keyBy(({ time }) => time % 3))
      .process<string>({
        processElement1: (key, _sum, _ctx, out) => out.collect(`left ${key}`),
        processElement2: (key, _event, _ctx, out) => out.collect(`right ${key}`),
      }),
};

const events = fc.array(
  fc.record({
    side: fc.constantFrom<0 | 1>(0, 1),
    key: fc.constantFrom('a', 'b', 'c', '__proto__'),
    time: fc.nat({ max: 60 }),
    place: fc.nat({ max: 100 }),
  }),
  { maxLength: 40 },
);

interface Sent extends Event {
  readonly side: 0 | 1;
  readonly place: number;
}

function resultsOf(job: Job, sent: readonly Sent[], partitions: readonly [number, number]): string[] {
  const run = new PartitionedRun(job, partitions);
  for (const { side, place, key, time } of sent) run.send(side, { key, time }, place);
  return run.end().results.toSorted();
}

describe.each(Object.entries(JOBS))('keyed: %s', (_name, job) => {
  test.each<[number, number]>([
    [4, 4],
    [4, 1],
    [2, 5],
  ])('is the same on %d and %d partitions as on one', (left, right) => {
    fc.assert(
      fc.property(events, (drawn) => {
        const one = resultsOf(job, drawn, [1, 1]);
        expect(resultsOf(job, drawn, [left, right])).toEqual(one);
      }),
      { numRuns: 60, seed: 3 },
    );
  });
});

describe('without keys', () => {
  test('each partition connects what it has, and waits for no input that it does not have', () => {
    const run = new PartitionedRun(
      (left, right) =>
        left.connect(right).process<string>({
          processElement1: ({ key }, ctx, out) => out.collect(`left ${key} w${ctx.currentWatermark()}`),
          processElement2: ({ key }, ctx, out) => out.collect(`right ${key} w${ctx.currentWatermark()}`),
        }),
      [3, 1],
    );
    run.watermark(0, 10);
    for (const place of [0, 1, 2]) run.send(0, { key: `l${place}`, time: 11 }, place);
    run.send(1, { key: 'r', time: 5 }, 0).end();
    expect(run.results).toEqual([
      'left l0 w-Infinity@11',
      'left l1 w10@11',
      'left l2 w10@11',
      'right r w-Infinity@5',
    ]);
  });
});

describe('broadcast', () => {
  const count = mapState<string, number>('count');

  const keyed: Job = (left, right) =>
    left
      .keyBy(({ key }) => key)
      .connect(right.broadcast(count))
      .process<string>({
        processElement: (key, _event, ctx, out) =>
          out.collect(`${key} ${[...ctx.broadcastState(count).entries()].join(' ')}`),
        processBroadcastElement: ({ key }, ctx, out) => {
          const state = ctx.broadcastState(count);
          state.put(key, (state.get(key) ?? 0) + 1);
          out.collect(`rule ${key}${state.get(key)}`);
        },
      });

  const unkeyed: Job = (left, right) =>
    left.connect(right.broadcast(count)).process<string>({
      processElement: ({ key }, ctx, out) =>
        out.collect(`${key} ${[...ctx.broadcastState(count).entries()].join(' ')}`),
      processBroadcastElement: ({ key }, ctx, out) => {
        const state = ctx.broadcastState(count);
        state.put(key, (state.get(key) ?? 0) + 1);
        out.collect(`rule ${key}${state.get(key)}`);
      },
    });

  test.each<[string, Job, number, number]>([
    ['keyed', keyed, 4, 1],
    ['keyed', keyed, 4, 3],
    ['keyed', keyed, 1, 3],
    ['unkeyed', unkeyed, 4, 1],
    ['unkeyed', unkeyed, 4, 3],
    ['unkeyed', unkeyed, 1, 1],
  ])('%s: every partition sees every record, and has a state of its own', (_name, job, left, right) => {
    const run = new PartitionedRun(job, [left, right]);
    run.send(1, { key: 'x', time: 1 }, 0).send(1, { key: 'y', time: 2 }, 1).send(1, { key: 'x', time: 3 }, 2);
    const copies = (text: string) => Array<string>(left).fill(text);
    expect(run.results).toEqual([...copies('rule x1@1'), ...copies('rule y1@2'), ...copies('rule x2@3')]);
    run.results.length = 0;
    const keys = ['a', 'b', 'c', 'd', 'e'];
    keys.forEach((key, place) => run.send(0, { key, time: 4 }, place));
    expect(run.results).toEqual(keys.map((key) => `${key} x,2 y,1@4`));
    run.end();
    expect(run.results).toHaveLength(keys.length);
  });

  test('timers of a keyed function wait for the broadcast stream, on every partition', () => {
    const run = new PartitionedRun(
      (left, right) =>
        left
          .keyBy(({ key }) => key)
          .connect(right.broadcast(count))
          .process<string>({
            processElement: (_key, { time }, ctx) => ctx.registerEventTimeTimer(time + 10),
            processBroadcastElement: ({ key, time }, ctx) => ctx.broadcastState(count).put(key, time),
            onEventTime: (_time, key, ctx, out) =>
              out.collect(`${key} ${ctx.broadcastState(count).get('x') ?? '-'}`),
          }),
      [4, 1],
    );
    run.send(1, { key: 'x', time: 1 }, 0).watermark(1, 1);
    for (const key of ['a', 'b', 'c', 'd']) run.send(0, { key, time: 1 }, key.charCodeAt(0));
    run.watermark(0, 100);
    expect(run.results).toEqual([]);
    run.send(1, { key: 'x', time: 9 }, 0).watermark(1, 11);
    expect(run.results.toSorted()).toEqual(['a 9@11', 'b 9@11', 'c 9@11', 'd 9@11']);
  });
});

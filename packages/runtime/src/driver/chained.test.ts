import { describe, expect, test } from '@jest/globals';
import type { DataStream } from '@rs/core';
import { WatermarkStrategy } from '@rs/watermark';
import { SessionWindow, TumblingWindow } from '@rs/window';
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

type Job = (input: DataStream<Event>) => DataStream<unknown>;

interface Run {
  readonly partitions: number;
  /** Number of the partition of each event. */
  readonly at: (event: Event, index: number) => number;
}

/** Results as `value@timestamp`, in the order in which they came. */
function run(job: Job, events: readonly Event[], { partitions, at }: Run): string[] {
  const env = new TestEnvironment();
  job(env.input<Event>()).addSink(() => undefined);
  const graph = env.graph();
  const results: string[] = [];
  const task = newTask();
  const chained = new ChainedJob(
    planTopology(graph, () => partitions),
    task,
    () =>
      itemReceiver((item) => {
        if (item.type === 'record') results.push(`${JSON.stringify(item.value)}@${item.timestamp}`);
      }),
  );
  chained.start([]);
  const source = graph.sources[0] as SourceNode;
  events.forEach((event, index) => {
    chained.head(source, at(event, index) % partitions).record(event, event.time, undefined);
  });
  for (let partition = 0; partition < partitions; partition++) chained.head(source, partition).end();
  task.throwFailure();
  return results;
}

/** Nothing is late, whatever order the partitions are read in. */
const patient = WatermarkStrategy.forBoundedOutOfOrderness<Event>(10_000).withTimestampAssigner(
  ({ time }) => time,
);

const JOBS: Record<string, Job> = {
  'a count per key': (input) =>
    input
      .keyBy(({ key }) => key)
      .map(({ key }): [string, number] => [key, 1])
      .reduce(([key, a], [, b]) => [key, a + b]),
  'windows per key': (input) =>
    input
      .assignTimestampsAndWatermarks(patient)
      .keyBy(({ key }) => key)
      .window(TumblingWindow.of(10))
      .apply<string>((key, window, elements, out) =>
        out.collect(`${key} ${window.start} ${elements.length}`),
      ),
  'sessions, then windows of their ends': (input) =>
    input
      .assignTimestampsAndWatermarks(patient)
      .keyBy(({ key }) => key)
      .window(SessionWindow.withGap(5))
      .apply<number>((_key, window, elements, out) => out.collect(window.end + elements.length))
      .keyBy((end) => end % 3)
      .window(TumblingWindow.of(50))
      .sum(),
  'what goes through an exchange and around it': (input) =>
    input
      .keyBy(({ key }) => key)
      .map(({ key }) => key)
      .reduce((a) => a)
      .union(input.map(({ key }) => `around ${key}`))
      .keyBy((text) => text.length)
      .map(() => 1)
      .sum(),
};

const events = fc.array(
  fc.record({ key: fc.constantFrom('a', 'b', 'c', '__proto__', '日本'), time: fc.nat({ max: 60 }) }),
  { maxLength: 40 },
);

describe.each(Object.entries(JOBS))('%s', (_name, job) => {
  test.each([2, 8])('is the same on %d partitions as on one', (partitions) => {
    fc.assert(
      fc.property(events, fc.infiniteStream(fc.nat({ max: 100 })), (drawn, where) => {
        const places = drawn.map(() => Number(where.next().value));
        const one = run(job, drawn, { partitions: 1, at: () => 0 });
        const many = run(job, drawn, { partitions, at: (_event, index) => places[index] ?? 0 });
        expect(many.toSorted()).toEqual(one.toSorted());
      }),
      { numRuns: 60, seed: 11 },
    );
  });
});

test('all records of a key meet in one place, and each of its counts is emitted once', () => {
  const words = Array.from({ length: 200 }, (_, time) => ({ key: `word ${time % 7}`, time }));
  const job = JOBS['a count per key'] as Job;
  const results = run(job, words, { partitions: 8, at: (_event, index) => index });
  for (let word = 0; word < 7; word++) {
    const counts = results
      .filter((text) => text.includes(`word ${word}"`))
      .map((text) => Number(/,(\d+)/.exec(text)?.[1]));
    expect(counts).toEqual(Array.from({ length: counts.length }, (_, index) => index + 1));
  }
  expect(results).toHaveLength(200);
});

test('time behind an exchange is that of the slowest partition that has anything to read', () => {
  const strict = WatermarkStrategy.forMonotonousTimestamps<Event>().withTimestampAssigner(({ time }) => time);
  const env = new TestEnvironment();
  env
    .input<Event>()
    .assignTimestampsAndWatermarks(strict)
    .keyBy(({ key }) => key)
    .window(TumblingWindow.of(10))
    .count()
    .addSink(() => undefined);
  const graph = env.graph();
  const counts: unknown[] = [];
  const task = newTask();
  const late: unknown[] = [];
  task.onLate = (record) => late.push(record);
  const topology = planTopology(graph, () => 3);
  const job = new ChainedJob(topology, task, () =>
    itemReceiver((item) => item.type === 'record' && counts.push(item.value)),
  );
  const source = graph.sources[0] as SourceNode;
  const reader = (partition: number, ready: boolean) => ({
    source,
    partition,
    reader: {
      name: 'test',
      position: () => 0,
      seek: () => undefined,
      pump: () => 'ended' as const,
      ready: () => ready,
    },
  });
  job.start([reader(0, true), reader(1, true), reader(2, false)]);
  job.announce();
  for (let time = 0; time < 100; time++) job.head(source, 0).record({ key: 'k', time }, time, undefined);
  expect(counts).toEqual([]);
  for (let time = 0; time < 100; time++) job.head(source, 1).record({ key: 'k', time }, time, undefined);
  expect([counts, late]).toEqual([Array(9).fill(20), []]);
});

test('a partition that has something to read only later is waited for from then on', () => {
  const strict = WatermarkStrategy.forMonotonousTimestamps<Event>().withTimestampAssigner(({ time }) => time);
  const env = new TestEnvironment();
  env
    .input<Event>()
    .assignTimestampsAndWatermarks(strict)
    .keyBy(({ key }) => key)
    .window(TumblingWindow.of(10))
    .count()
    .addSink(() => undefined);
  const graph = env.graph();
  const counts: unknown[] = [];
  const job = new ChainedJob(
    planTopology(graph, () => 2),
    newTask(),
    () => itemReceiver((item) => item.type === 'record' && counts.push(item.value)),
  );
  const source = graph.sources[0] as SourceNode;
  const ready = [true, false];
  const readers = [0, 1].map((partition) => ({
    source,
    partition,
    reader: {
      name: 'test',
      pump: () => 'ended' as const,
      ready: () => ready[partition] === true,
      position: () => 0,
      seek: () => undefined,
    },
  }));
  job.start(readers);
  job.announce();
  for (let time = 0; time < 25; time++) job.head(source, 0).record({ key: 'k', time }, time, undefined);
  expect(counts).toEqual([10, 10]);
  ready[1] = true;
  job.announce();
  for (let time = 25; time < 100; time++) job.head(source, 0).record({ key: 'k', time }, time, undefined);
  expect(counts).toEqual([10, 10]);
  for (let time = 25; time < 100; time++) job.head(source, 1).record({ key: 'k', time }, time, undefined);
  expect(counts).toEqual([10, 10, 15, 20, 20, 20, 20, 20, 20]);
});

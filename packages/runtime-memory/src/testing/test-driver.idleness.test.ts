import { describe, expect, test } from '@jest/globals';
import {
  type DataStream,
  defineJob,
  type JobDefinition,
  mapState,
  type ProcessContext,
  silentLogger,
  topic,
} from '@rs/core';
import { WatermarkStrategy } from '@rs/watermark';
import { TumblingWindow } from '@rs/window';
import { MemoryTopics, StreamExecutionEnvironment } from '../index.ts';
import { ManualTime } from '../test-support/manual-time.ts';
import { notCalled } from '../test-support/orders-job.ts';
import { settle } from '../test-support/settle.ts';
import { TestDriver } from './index.ts';

const left = topic<number>('left');
const right = topic<number>('right');
const rules = mapState<string, number>('rules');

type Out = DataStream<string>;
type Input = DataStream<number>;

const keyed = (stream: Input) => stream.keyBy((value) => value % 3);

const timed = (at: number, ctx: Pick<ProcessContext<number>, 'registerEventTimeTimer'>) =>
  ctx.registerEventTimeTimer(at + 10);
const fired = (time: number, key: number) => `${key} fires at ${time}`;

/** Each value is its time; timers come 10 later. */
const JOBS: Record<string, (lefts: Input, rights: Input) => Out> = {
  union: (lefts, rights) =>
    keyed(lefts.union(rights)).process<string>({
      processElement: (_key, value, ctx) => timed(value, ctx),
      onEventTime: (time, key, _ctx, out) => out.collect(fired(time, key)),
    }),
  connect: (lefts, rights) =>
    keyed(lefts)
      .connect(keyed(rights))
      .process<string>({
        processElement1: (_key, value, ctx) => timed(value, ctx),
        processElement2: (_key, value, ctx) => timed(value, ctx),
        onEventTime: (time, key, _ctx, out) => out.collect(fired(time, key)),
      }),
  broadcast: (lefts, rights) =>
    keyed(lefts)
      .connect(rights.broadcast(rules))
      .process<string>({
        processElement: (_key, value, ctx) => timed(value, ctx),
        processBroadcastElement: (value, ctx) => ctx.broadcastState(rules).put('last', value),
        onEventTime: (time, key, ctx, out) =>
          out.collect(`${fired(time, key)} under ${ctx.broadcastState(rules).get('last') ?? 'none'}`),
      }),
  cogroup: (lefts, rights) =>
    keyed(lefts)
      .cogroup(keyed(rights))
      .window(TumblingWindow.of(10))
      .apply<string>((key, { end }, ours, theirs, out) =>
        out.collect(`${key} until ${end}: ${ours.join(' ')} | ${theirs.join(' ')}`),
      ),
};

const STRATEGIES: Record<string, (stream: Input) => Input> = {
  'time of the topic': (stream) => stream,
  'time of a strategy': (stream) =>
    stream.assignTimestampsAndWatermarks(WatermarkStrategy.forMonotonousTimestamps<number>()),
};

/** Values sent at once, by topic. */
type Step = Readonly<Partial<Record<'left' | 'right', readonly number[]>>>;

const message = (value: number) => ({ key: String(value % 3), value, timestamp: value });

/** What has come after each step, sorted. */
async function inDriver(job: JobDefinition, partitions: number, steps: readonly Step[]): Promise<string[][]> {
  await using driver = TestDriver.of(job, { topics: { left: partitions, right: partitions } });
  const seen: string[][] = [];
  for (const step of steps) {
    for (const [name, values] of Object.entries(step)) await driver.send(name, values.map(message));
    seen.push(driver.outputs<string>('out').toSorted());
  }
  return seen;
}

async function inMemory(
  define: (sinkTo: (value: string) => void) => JobDefinition,
  partitions: number,
  steps: readonly Step[],
): Promise<string[][]> {
  const time = new ManualTime(0);
  const topics = new MemoryTopics({ clock: time });
  for (const one of [left, right]) topics.create(one, { partitions });
  const env = StreamExecutionEnvironment.getExecutionEnvironment({
    clock: time,
    scheduler: time,
    topics,
    logger: silentLogger,
  });
  const out: string[] = [];
  const controller = new AbortController();
  const running = env.executeAsync(
    define((value) => void out.push(value)),
    { signal: controller.signal },
  );
  await settle();
  const seen: string[][] = [];
  for (const step of steps) {
    for (const [name, values] of Object.entries(step)) {
      for (const value of values) topics.send(name, message(value));
      await settle();
    }
    seen.push(out.toSorted());
  }
  controller.abort();
  await running;
  return seen;
}

const SILENT: readonly Step[] = [{ left: [1, 2, 3] }, { left: [14, 15, 13] }, { left: [31, 32, 33] }];
/** The other topic begins to speak in the middle. */
const LATER: readonly Step[] = [
  { left: [1, 2, 3] },
  { left: [14, 15, 13] },
  { right: [16, 17] },
  { left: [31, 32, 33] },
  { right: [40, 41, 42] },
];

describe.each(Object.entries(JOBS))('%s', (_name, job) => {
  describe.each(Object.entries(STRATEGIES))('by the %s', (_time, strategy) => {
    describe.each([1, 4])('on %d partitions', (partitions) => {
      const define = (sink: (value: string) => void) =>
        defineJob((env) => {
          const [lefts, rights] = [left, right].map((one) => strategy(env.fromTopic(one, 'test'))) as [
            Input,
            Input,
          ];
          job(lefts, rights).addSink(sink, { uid: 'out' });
        });

      test('a topic that never had a record holds nothing back', async () => {
        const seen = await inDriver(define(notCalled), partitions, SILENT);
        expect(seen[2]?.length).toBeGreaterThanOrEqual(3);
        expect(seen).toEqual(await inMemory(define, partitions, SILENT));
      });

      test('one that has begun to speak does', async () => {
        const seen = await inDriver(define(notCalled), partitions, LATER);
        expect(seen[3]?.length).toBeLessThan(seen[4]?.length ?? 0);
        expect(seen).toEqual(await inMemory(define, partitions, LATER));
      });

      test('and no more once it is said to be idle', async () => {
        await using driver = TestDriver.of(define(notCalled), {
          topics: { left: partitions, right: partitions },
        });
        await driver.send(right, message(2));
        await driver.send(left, [1, 2, 3, 34, 35, 33].map(message));
        const held = driver.outputs('out');
        await driver.idle(right);
        expect(held).toEqual([]);
        expect(driver.outputs('out').length).toBeGreaterThanOrEqual(3);
      });
    });
  });
});

import { describe, expect, test } from '@jest/globals';
import { type TwoPhaseCommitSink, valueState } from '@rs/core';
import { WatermarkStrategy } from '@rs/watermark';
import { TumblingWindow } from '@rs/window';
import type { PartitionReader } from '../driver/source-reader.ts';
import { ChainedJob } from '../driver/chained.ts';
import { planTopology } from '../graph/topology.ts';
import { newTask } from '../test-support/new-task.ts';
import { throughStorage } from '../test-support/resumed-run.ts';
import { TestEnvironment } from '../test-support/test-environment.ts';
import { JobSinks } from './job-sinks.ts';
import type { JobSnapshot } from './job-snapshot.ts';
import { resumeJob } from './resume-job.ts';
import { emptySnapshot, takeSnapshot } from './take-snapshot.ts';

type Define = (env: TestEnvironment) => unknown;

interface Made {
  readonly job: ChainedJob;
  readonly readers: readonly PartitionReader[];
  readonly sinks: JobSinks;
  readonly positions: Map<string, number>;
}

/** A job whose sources stand at position 10, each on some partitions. */
function made(define: Define, partitions = 1): Made {
  const env = new TestEnvironment();
  define(env);
  const task = newTask();
  const graph = env.graph();
  const job = new ChainedJob(
    planTopology(graph, () => partitions),
    task,
  );
  const positions = new Map<string, number>();
  const readers = graph.sources.flatMap((source) =>
    Array.from({ length: partitions }, (_, partition): PartitionReader => {
      const name = `${source.name}/${partition}`;
      positions.set(name, 10);
      const seek = (position: number) => void positions.set(name, position);
      const reader = { name, position: () => positions.get(name) ?? 0, seek, pump: () => 'ended' as const };
      return { source, partition, reader };
    }),
  );
  return { job, readers, sinks: new JobSinks(job, task), positions };
}

function snapshotOf(define: Define, partitions?: number): JobSnapshot {
  const { job, readers } = made(define, partitions);
  for (const { source, partition } of readers) job.head(source, partition).record('a', 5, undefined);
  return throughStorage(takeSnapshot(job, readers, []));
}

/** What a job has no place for. */
function problemsOf(snapshot: JobSnapshot, define: Define, partitions?: number): unknown {
  const { job, readers, sinks } = made(define, partitions);
  try {
    resumeJob(job, readers, sinks, { checkpointId: 3, snapshot });
  } catch (error) {
    expect(error).toMatchObject({ code: 'RS_CHECKPOINT_MISMATCH', details: { checkpointId: 3 } });
    return (error as { details: { problems: unknown } }).details.problems;
  }
  return [];
}

const ignore = () => undefined;
const counting = (uid: string, name = 'count', timer = false): Define => {
  const state = valueState(name, { default: () => 0 });
  return (env) =>
    env
      .input<string>()
      .keyBy((value) => value, { uid: 'key' })
      .process<string>(
        {
          open: (ctx) => void ctx.state(state),
          processElement: (_key, _value, ctx) => {
            ctx.state(state).update(1);
            if (timer) ctx.registerEventTimeTimer(50);
          },
          onEventTime: ignore,
        },
        { uid },
      )
      .addSink(ignore);
};

describe('what a job has no place for is refused, all of it:', () => {
  test('nothing, where it is the same job', () => {
    for (const partitions of [1, 3])
      expect(problemsOf(snapshotOf(counting('p'), partitions), counting('p'), partitions)).toEqual([]);
  });

  test('state of an operator that is gone', () => {
    expect(problemsOf(snapshotOf(counting('p')), counting('q'))).toEqual(["state 'count' of 'p'"]);
  });

  test('a state that nobody declares', () => {
    expect(problemsOf(snapshotOf(counting('p')), counting('p', 'amount'))).toEqual(["state 'count' of 'p'"]);
  });

  test('timers of an operator that is gone, or has none', () => {
    const snapshot = snapshotOf(counting('p', 'count', true));
    expect(problemsOf(snapshot, counting('q'))).toEqual(["timers of 'p'", "state 'count' of 'p'"]);
    const mapped: Define = (env) =>
      env
        .input<string>()
        .keyBy((value) => value, { uid: 'key' })
        .sum(() => 1, { uid: 'p' })
        .addSink(ignore);
    expect(problemsOf(snapshot, mapped)).toEqual(["timers of 'p'"]);
  });

  test.each([
    [1, 3],
    [3, 1],
    [3, 4],
  ])('another number of partitions, %d and %d', (then, now) => {
    const problems = problemsOf(snapshotOf(counting('p'), then), counting('p'), now);
    expect(problems).toContain(`'p' in ${then} partitions, of which there are ${now} now`);
  });

  test('another number of inputs', () => {
    const union =
      (inputs: number): Define =>
      (env) => {
        const [first, ...others] = Array.from({ length: inputs }, (_, i) => env.input<string>(`i${i}`));
        first?.union(others, { uid: 'u' }).addSink(ignore);
      };
    expect(problemsOf(snapshotOf(union(2)), union(3))).toEqual(["'u' with another number of inputs"]);
  });

  test('a source that is gone', () => {
    const from =
      (...names: readonly string[]): Define =>
      (env) => {
        for (const name of names) env.input<string>(name).addSink(ignore);
      };
    expect(problemsOf(snapshotOf(from('a', 'b')), from('a'))).toEqual([
      "position 10 of partition 0 of 'source-2'",
    ]);
    expect(problemsOf(snapshotOf(from('a'), 2), from('a'), 1)).toEqual([
      "position 10 of partition 1 of 'source-0'",
    ]);
    expect(problemsOf(snapshotOf(from('a')), from('a', 'b'))).toEqual([]);
  });

  test('transactions that no sink could commit', () => {
    const snapshot = {
      ...snapshotOf((env) => env.input<string>().addSink(ignore, { uid: 'plain' })),
      sinks: [
        { id: 'plain', transactions: ['1'] },
        { id: 'gone', transactions: ['2'] },
        { id: 'txn', transactions: ['3'] },
      ],
    };
    const sink: TwoPhaseCommitSink<string, number> = {
      beginTxn: () => 1,
      invoke: ignore,
      preCommit: ignore,
      commit: ignore,
      recoverAndCommit: ignore,
      recoverAndAbort: ignore,
    };
    const define: Define = (env) => {
      const input = env.input<string>();
      input.addSink(ignore, { uid: 'plain' });
      input.addSink(sink, { uid: 'txn' });
    };
    expect(problemsOf(snapshot, define)).toEqual(["transactions of 'plain'", "transactions of 'gone'"]);
  });

  test('a snapshot of another version', () => {
    const snapshot = { ...snapshotOf(counting('p')), version: 2 as 1 };
    expect(problemsOf(snapshot, counting('p'))).toEqual([
      'everything: it was written by another version (2) of the engine',
    ]);
  });

  test('and what is new begins empty', () => {
    const windowed = (env: TestEnvironment) => {
      const keyed = env.input<string>().keyBy((value) => value, { uid: 'key' });
      keyed.window(TumblingWindow.of(10)).count({ uid: 'window' }).addSink(ignore);
      return keyed;
    };
    const snapshot = snapshotOf(windowed);
    const more: Define = (env) =>
      windowed(env)
        .sum(() => 1, { uid: 'sum' })
        .addSink(ignore);
    const { job, readers, sinks } = made(more);
    resumeJob(job, readers, sinks, { checkpointId: 1, snapshot });
    const facts = job.plans[0]?.operators.find(({ id }) => id === 'key')?.instance.meta?.();
    expect(facts).toEqual({ latest: -Infinity });
  });
});

test('a resumed job is told nothing that it knows: an input that was quiet stays so', () => {
  const define: Define = (env) =>
    env
      .input<string>()
      .assignTimestampsAndWatermarks(WatermarkStrategy.forMonotonousTimestamps())
      .keyBy(() => 'k', { uid: 'key' })
      .process<number>((_key, _value, ctx) => void watermarks.push(ctx.currentWatermark()))
      .addSink(ignore);
  const watermarks: number[] = [];
  const first = made(define, 2);
  const source = first.readers[0]?.source;
  if (source === undefined) throw new Error('there is no source');
  first.job.start(first.readers);
  first.job.head(source, 0).status(true);
  first.job.head(source, 1).record('a', 5, undefined);
  const snapshot = throughStorage(takeSnapshot(first.job, first.readers, []));
  const { job, readers, sinks } = made(define, 2);
  resumeJob(job, readers, sinks, { checkpointId: 1, snapshot });
  job.start(readers);
  job.announce();
  const [own] = readers;
  if (own !== undefined) job.head(own.source, 1).record('b', 9, undefined);
  expect(watermarks).toEqual([4, 8]);
});

describe('sources', () => {
  test('begin where they were, but for those that had ended', () => {
    const define: Define = (env) => {
      env.input<string>('a').addSink(ignore);
      env.input<string>('b').addSink(ignore);
    };
    const first = made(define);
    const [, b] = first.readers;
    if (b !== undefined) first.job.ended.add(b);
    const snapshot = throughStorage(takeSnapshot(first.job, first.readers, []));
    const { job, readers, sinks, positions } = made(define);
    for (const { reader } of readers) reader.seek(0);
    resumeJob(job, readers, sinks, { checkpointId: 1, snapshot });
    expect(Object.fromEntries(positions)).toEqual({ 'a/0': 10, 'b/0': 0 });
    expect([...job.ended]).toEqual([readers[1]]);
  });

  test('a snapshot of nothing is the beginning', () => {
    const { job, readers, sinks } = made(counting('p'));
    resumeJob(job, readers, sinks, { checkpointId: 1, snapshot: emptySnapshot() });
    expect(job.resumed).toBe(false);
  });
});

import { describe, expect, test } from '@jest/globals';
import { outputTag } from '@rs/core';
import { TumblingWindow } from '@rs/window';
import { ChainedJob } from '../driver/chained.ts';
import { JobRun } from '../test-support/job-run.ts';
import { newTask } from '../test-support/new-task.ts';
import { Recorder } from '../test-support/recorder.ts';
import { TestEnvironment } from '../test-support/test-environment.ts';
import type { SourceNode } from './node.ts';
import { planTopology } from './topology.ts';

const big = outputTag<number>('big');

describe('instantiate', () => {
  test('a stream with several readers multicasts, in the order of declaration, in one pass', () => {
    const seen: string[] = [];
    const run = new JobRun<number>((input) => {
      const summed = input.keyBy(() => 'k').sum();
      const [a, b] = ['a', 'b'].map((name) =>
        summed.map((sum) => {
          seen.push(`${name}${sum}`);
          return sum;
        }),
      );
      return { a: a ?? summed, b: b ?? summed, raw: summed };
    });
    run.feed([1, 0], [2, 1], [3, 2]).end();
    expect(seen).toEqual(['a1', 'b1', 'a3', 'b3', 'a6', 'b6']);
    for (const name of ['a', 'b', 'raw']) expect(run.output(name).values).toEqual([1, 3, 6]);
  });

  test('two sinks on one stateful stream see the same results', () => {
    const run = new JobRun<number>((input) => {
      const keyed = input.keyBy((value) => value % 2);
      const reduced = keyed.reduce((a, b) => a + b);
      return { first: reduced, second: reduced };
    });
    run.feed([1, 0], [2, 1], [3, 2]).end();
    expect(run.output('first').records).toEqual([[1, 0], [2, 1], [4, 2]]); // prettier-ignore
    expect(run.output('second').records).toEqual(run.output('first').records);
  });

  test('side outputs get their records, and all watermarks, status and the end', () => {
    const run = new JobRun<number>((input) => {
      const main = input
        .keyBy(() => 'k')
        .process<number>((_key, value, ctx, out) => {
          if (value > 10) ctx.output(big, value);
          else out.collect(value);
        });
      return { main, side: main.getSideOutput(big).map((value) => -value) };
    });
    run.feed([1, 5], [11, 6]).watermark(7);
    run.input(0).status(true);
    run.end();
    expect(run.output('main').trace).toEqual(['1@5', 'w7', 'idle', 'end']);
    expect(run.output('side').trace).toEqual(['-11@6', 'w7', 'idle', 'end']);
  });

  test('a side output that nobody reads takes records to nowhere', () => {
    const run = new JobRun<number>((input) =>
      input
        .keyBy(() => 'k')
        .process<number>((_key, value, ctx, out) => {
          ctx.output(big, value);
          out.collect(value);
        }),
    );
    run.feed([1, 0]).end();
    expect(run.output().trace).toEqual(['1@0', 'end']);
  });

  test('a stream united with itself brings each record twice', () => {
    const run = new JobRun<number>((input) => input.union(input));
    run.feed([1, 0]).watermark(5);
    run.end();
    expect(run.output().trace).toEqual(['1@0', '1@0', 'w5', 'end']);
  });

  test('operators are new for each plan, and share nothing', () => {
    const env = new TestEnvironment();
    const values: unknown[] = [];
    env.input<number>().keyBy(() => 'k').sum().addSink(() => undefined); // prettier-ignore
    const graph = env.graph();
    const heads = [1, 2].map(() => {
      const recorder = new Recorder();
      const job = new ChainedJob(
        planTopology(graph, () => 1),
        newTask(),
        () => recorder,
      );
      return { head: job.head(graph.nodes[0] as SourceNode, 0), recorder };
    });
    for (const { head, recorder } of heads) {
      head.record(5, 0, undefined);
      values.push(...recorder.values);
    }
    expect(values).toEqual([5, 5]);
  });

  test('operators come in topological order with their ids', () => {
    const run = new JobRun<number>((input) =>
      input
        .map((value) => value)
        .keyBy(() => 'k')
        .window(TumblingWindow.of(10))
        .count({ uid: 'counts' }),
    );
    expect(run.operators.map(({ id, node }) => [id, node.kind])).toEqual([
      ['map-1', 'map'],
      ['keyBy-2', 'keyBy'],
      ['counts', 'window'],
    ]);
  });

  test('open is called before the first record, close is left to the driver', () => {
    const calls: string[] = [];
    const run = new JobRun<number>((input) =>
      input
        .keyBy(() => 'k')
        .process<number>({
          open: () => void calls.push('open'),
          processElement: () => void calls.push('element'),
          close: () => void calls.push('close'),
        }),
    );
    expect(calls).toEqual(['open']);
    run.feed([1, 0]).end();
    run.operator('process').instance.close?.();
    expect(calls).toEqual(['open', 'element', 'close']);
  });

  test('when a later open fails, the functions that were opened are closed', () => {
    const calls: string[] = [];
    const job = () =>
      new JobRun<number>((input) => {
        const opened = input
          .keyBy(() => 'k')
          .process<number>({
            open: () => void calls.push('open 1'),
            processElement: () => undefined,
            close: () => void calls.push('close 1'),
          });
        return opened
          .keyBy(() => 'k')
          .process<number>({
            open: () => {
              throw new Error('boom');
            },
            processElement: () => undefined,
          });
      });
    expect(job).toThrow(expect.objectContaining({ code: 'RS_USER_FUNCTION_FAILED' }));
    expect(calls).toEqual(['open 1', 'close 1']);
  });
});

import { type DataStream, silentLogger } from '@rs/core';
import { EnvironmentBuilder, type EnvironmentDefaults } from '../builder/environment.ts';
import { makeOperator, makeSink, makeSource } from '../builder/make-node.ts';
import type { OutputRecord } from '../driver/batched/backend.ts';
import { ChainedJob } from '../driver/chained.ts';
import type { PartitionReader, SourceReader } from '../driver/source-reader.ts';
import { buildGraph, type LogicalGraph } from '../graph/graph.ts';
import type { SinkNode, SourceNode } from '../graph/node.ts';
import type { PartitionsOf } from '../graph/partitions.ts';
import { planTopology } from '../graph/topology.ts';
import { MapOperator } from '../operator/stateless.ts';
import { deliver, itemReceiver, type StreamItem } from '../operator/stream-item.ts';
import { Task, type TaskOptions } from '../operator/task.ts';
import { systemScheduler } from '../time/scheduler.ts';
import { JobSimulation } from './job-simulation.ts';
import type { SimulatedTask } from './simulated-task.ts';

/** Declares a job over numbered inputs, which a test feeds by hand. */
export class HarnessEnvironment extends EnvironmentBuilder {
  readonly sinks: SinkNode[] = [];
  readonly #onOutput: () => void;

  /** @param onOutput called for each record that reaches a sink; may throw, as a user's function may */
  constructor(defaults: Partial<EnvironmentDefaults> = {}, onOutput: () => void = () => undefined) {
    super({ logger: silentLogger, ...defaults });
    this.#onOutput = onOutput;
  }

  /** The inputs are numbered in the order in which they are declared. */
  input<T>(name = 'input'): DataStream<T> {
    return this.dataStream<T>({ node: makeSource(this, name, undefined), tag: undefined });
  }

  attachSink(sink: SinkNode): void {
    const node = makeOperator(
      this,
      { name: 'before sink' },
      {
        kind: 'map',
        inputs: sink.inputs,
        create: ({ gate, outputs }) =>
          new MapOperator(gate, outputs.main, (value: unknown) => {
            this.#onOutput();
            return value;
          }),
      },
    );
    const { name, uid } = sink;
    const options = uid === undefined ? { name } : { name, uid };
    this.sinks.push(makeSink(this, options, { node, tag: undefined }, sink.sink));
  }

  iterate(): Iterator<unknown> {
    return [][Symbol.iterator]();
  }
}

export type HarnessJob = (env: HarnessEnvironment) => void;

/** An item of a job's input; inputs are numbered in the order of their declaration. */
export type HarnessItem = StreamItem & {
  readonly input: number;
  /** Of an input with several; default 0. */
  readonly partition?: number;
};

/** What a run leaves behind, the same on every driver. */
export interface HarnessResult {
  readonly outputs: readonly OutputRecord[];
  readonly late: Readonly<Record<string, number>>;
}

const TASK: Omit<TaskOptions, 'mode' | 'residentState'> = {
  clock: { now: () => 0 },
  scheduler: systemScheduler,
  processingTime: 'records',
  logger: silentLogger,
};

export function graphOf(job: HarnessJob, onOutput?: () => void): LogicalGraph {
  const env = new HarnessEnvironment({}, onOutput);
  job(env);
  return buildGraph(env.sinks);
}

/**
 * Runs a job as one chain of calls over resident state.
 *
 * @param partitionsOf default: every source has one partition
 */
export async function runChained(
  graph: LogicalGraph,
  items: readonly HarnessItem[],
  partitionsOf: PartitionsOf = () => 1,
): Promise<HarnessResult> {
  const task = new Task({ ...TASK, mode: 'async', residentState: true });
  const late: Record<string, number> = {};
  task.onLate = ({ operator }) => {
    late[operator] = (late[operator] ?? 0) + 1;
  };
  const outputs: OutputRecord[] = [];
  const job = new ChainedJob(planTopology(graph, partitionsOf), task, (node) =>
    itemReceiver((item) => {
      if (item.type !== 'record') return;
      outputs.push({ sink: graph.operatorId(node), value: item.value, timestamp: item.timestamp });
    }),
  );
  job.start(readersOf(graph, partitionsOf, items));
  job.announce();
  for (const item of items) {
    deliver(job.head(sourceOf(graph, item), item.partition ?? 0), item);
    await task.settled();
    task.throwFailure();
  }
  await task.drained();
  task.throwFailure();
  return { outputs, late };
}

export interface BatchedRun {
  readonly batchSize: number;
  readonly cachedBytes?: number;
  readonly attempts?: number;
  /** The process dies before each commit whose number is a multiple of it, and a new one goes on. */
  readonly crashEvery?: number;
}

export interface BatchedResult extends HarnessResult {
  readonly tasks: readonly SimulatedTask[];
}

/** Runs a job in batches, over backends that keep a log of commits. */
export async function runBatched(
  graph: () => LogicalGraph,
  items: readonly HarnessItem[],
  run: BatchedRun,
): Promise<BatchedResult> {
  const declared = graph();
  const outputs: OutputRecord[] = [];
  const simulation = new JobSimulation(
    planTopology(declared, () => 1),
    {
      ...TASK,
      batchSize: run.batchSize,
      cachedBytes: run.cachedBytes ?? Infinity,
      attempts: run.attempts ?? 1,
      onOutput: (output) => outputs.push(output),
    },
  );
  for (const item of items) if (item.type === 'record') simulation.announce(sourceOf(declared, item), 0);
  for (const [index, item] of items.entries()) {
    simulation.append(sourceOf(declared, item), 0, item);
    if (run.crashEvery !== undefined && (index + 1) % (run.crashEvery * run.batchSize) === 0) {
      await simulation.crash();
      await simulation.restart();
    }
    await simulation.run();
  }
  await simulation.flush();
  simulation.close();
  return { outputs, late: simulation.lateRecords(), tasks: simulation.tasks };
}

/** All partitions; a job is told before the first record which of them have something to read. */
function readersOf(
  graph: LogicalGraph,
  partitionsOf: PartitionsOf,
  items: readonly HarnessItem[],
): PartitionReader[] {
  return graph.sources.flatMap((source, input) =>
    Array.from({ length: partitionsOf(source) }, (_, partition) => {
      const reader: SourceReader = {
        name: 'items',
        ready: () =>
          items.some(
            (one) => one.type === 'record' && one.input === input && (one.partition ?? 0) === partition,
          ),
        position: () => 0,
        seek: () => undefined,
        pump: () => 'ended',
      };
      return { source, partition, reader };
    }),
  );
}

function sourceOf(graph: LogicalGraph, item: HarnessItem): SourceNode {
  return graph.sources[item.input] as SourceNode;
}

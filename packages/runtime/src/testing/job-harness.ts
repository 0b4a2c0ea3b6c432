import { type DataStream, silentLogger } from '@rs/core';
import { EnvironmentBuilder, type EnvironmentDefaults } from '../builder/environment.ts';
import { makeOperator, makeSink, makeSource } from '../builder/make-node.ts';
import type { OutputRecord } from '../driver/batched/backend.ts';
import { BatchedDriver, type BatchedOptions, type InputItem } from '../driver/batched/batched-driver.ts';
import { OutputLog } from '../driver/batched/output-log.ts';
import { buildGraph, type LogicalGraph } from '../graph/graph.ts';
import type { SinkNode } from '../graph/node.ts';
import { instantiate } from '../graph/plan.ts';
import { MapOperator } from '../operator/stateless.ts';
import { Task, type TaskOptions } from '../operator/task.ts';
import { NOWHERE } from '../operator/receiver.ts';
import { CommitLogBackend } from './commit-log-backend.ts';

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
    this.sinks.push(makeSink(this, { name: sink.name }, { node, tag: undefined }, sink.sink));
  }

  iterate(): Iterator<unknown> {
    return [][Symbol.iterator]();
  }
}

export type HarnessJob = (env: HarnessEnvironment) => void;

/** What a run leaves behind, the same on every driver. */
export interface HarnessResult {
  readonly outputs: readonly OutputRecord[];
  readonly late: Readonly<Record<string, number>>;
}

const TASK: Omit<TaskOptions, 'mode' | 'residentState' | 'processingTime'> = {
  clock: { now: () => 0 },
  logger: silentLogger,
};

export function graphOf(job: HarnessJob, onOutput?: () => void): LogicalGraph {
  const env = new HarnessEnvironment({}, onOutput);
  job(env);
  return buildGraph(env.sinks);
}

/** Runs a job as one chain of calls over resident state. */
export async function runChained(graph: LogicalGraph, items: readonly InputItem[]): Promise<HarnessResult> {
  const task = new Task({ ...TASK, mode: 'async', processingTime: 'records', residentState: true });
  const late: Record<string, number> = {};
  task.onLate = ({ operator }) => {
    late[operator] = (late[operator] ?? 0) + 1;
  };
  const outputs = new OutputLog();
  const plan = instantiate(graph, task, { sink: (node) => outputs.receiver(graph.operatorId(node)) });
  const heads = graph.sources.map((source) => plan.heads.get(source) ?? NOWHERE);
  for (const item of items) {
    const head = heads[item.source] ?? NOWHERE;
    if ('end' in item) head.end();
    else head.record(item.value, item.timestamp, undefined);
    await task.settled();
    task.throwFailure();
  }
  return { outputs: outputs.peek(), late };
}

export interface BatchedRun {
  readonly batchSize: number;
  readonly cachedCells?: number;
  readonly attempts?: number;
  /** The process dies after each commit whose number is a multiple of it, and a new one goes on. */
  readonly crashEvery?: number;
}

/** Runs a job in batches over a backend that keeps a log of commits. */
export async function runBatched(
  graph: () => LogicalGraph,
  items: readonly InputItem[],
  run: BatchedRun,
): Promise<HarnessResult & { readonly backend: CommitLogBackend }> {
  const backend = new CommitLogBackend();
  const options: BatchedOptions = {
    ...TASK,
    cachedCells: run.cachedCells ?? Infinity,
    attempts: run.attempts ?? 1,
  };
  let driver = await BatchedDriver.open(graph(), backend.acquire(), options);
  for (let batches = 1; driver.position < items.length; batches++) {
    await driver.process(items.slice(driver.position, driver.position + run.batchSize));
    if (run.crashEvery !== undefined && batches % run.crashEvery === 0) {
      driver = await BatchedDriver.open(graph(), backend.acquire(), options);
    }
  }
  driver.close();
  return { outputs: backend.outputs(), late: backend.late(), backend };
}

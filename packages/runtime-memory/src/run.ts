import type { Clock, Logger } from '@rs/core';
import {
  type LogicalGraph,
  type PartitionReader,
  planTopology,
  type ProcessingTimeMode,
  runAsync,
  type RunOptions,
  runSync,
  type Scheduler,
  Task,
  type Topology,
} from '@rs/runtime';
import type { CheckpointKeeper } from './checkpoint/keeper.ts';
import { RunCheckpoints } from './checkpoint/run-checkpoints.ts';
import { channels } from './diagnostics.ts';
import { MetricsCounter } from './metrics.ts';
import type { JobMetrics, JobResult } from './options.ts';
import { openReaders, partitionsOf, type SourceSettings } from './source/open-reader.ts';

export interface RunSettings extends SourceSettings {
  readonly logger: Logger;
  readonly clock: Clock;
  readonly scheduler: Scheduler;
  readonly processingTime: ProcessingTimeMode;
  /** Told of every late record as well as the run's own counter. */
  readonly total: MetricsCounter;
  /** `undefined` where no checkpoints are taken. */
  readonly checkpoints: CheckpointKeeper | undefined;
}

/**
 * Runs a graph in the calling stack; yields after each round over its sources. A caller that takes no more rounds
 * cancels the run.
 *
 * @param turn records per round where there is one source
 */
export function* stepThrough(
  graph: LogicalGraph,
  settings: RunSettings,
  turn?: number,
): Generator<void, void> {
  const run = new Run(graph, settings, 'sync');
  let status: JobResult['status'] | 'failed' = 'cancelled';
  try {
    run.checkpoints.beginNow();
    yield* runSync(run.topology, run.task, run.readers, run.checkpoints, turn);
    status = 'finished';
  } catch (error) {
    status = 'failed';
    throw run.failed(error);
  } finally {
    if (status !== 'failed') run.finished(status);
  }
}

/** Runs a graph to its end, waiting where it has to. */
export async function runToEnd(
  graph: LogicalGraph,
  settings: RunSettings,
  options: Omit<RunOptions, 'hooks'>,
): Promise<JobResult> {
  const run = new Run(graph, settings, 'async');
  try {
    if (settings.checkpoints !== undefined) await run.checkpoints.begin(options.signal);
    const hooks = run.checkpoints;
    const status = await runAsync(run.topology, run.task, run.readers, { ...options, hooks });
    return { status, metrics: run.finished(status) };
  } catch (error) {
    throw run.failed(error);
  }
}

/** One run of a graph: its task, its readers, and what is told about it. */
class Run {
  readonly task: Task;
  readonly topology: Topology;
  readonly readers: readonly PartitionReader[];
  readonly checkpoints: RunCheckpoints;
  readonly #metrics = new MetricsCounter();
  /** Tells subscribers which events belong together. */
  readonly #job = Object.freeze({ engine: 'memory' });

  constructor(graph: LogicalGraph, settings: RunSettings, mode: 'sync' | 'async') {
    const { logger, clock, scheduler, processingTime, total } = settings;
    this.task = new Task({
      mode,
      processingTime,
      clock,
      logger,
      residentState: true,
      scheduler,
    });
    this.task.onLate = (record) => {
      this.#metrics.countLate(record);
      total.countLate(record);
      if (channels.recordLate.hasSubscribers) channels.recordLate.publish(record);
    };
    this.topology = planTopology(graph, (source) => partitionsOf(source, settings.topics));
    this.readers = openReaders(graph.sources, settings);
    this.checkpoints = new RunCheckpoints(this.task, this.readers, settings.checkpoints);
    const operators = graph.nodes.map((node) => graph.operatorId(node));
    channels.jobStarted.publish({ job: this.#job, operators });
  }

  finished(status: JobResult['status']): JobMetrics {
    const metrics = this.#metrics.snapshot();
    channels.jobFinished.publish({ job: this.#job, status, metrics });
    return metrics;
  }

  failed(error: unknown): unknown {
    channels.jobFailed.publish({ job: this.#job, error });
    return error;
  }
}

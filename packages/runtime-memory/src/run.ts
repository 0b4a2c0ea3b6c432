import type { Clock, Logger } from '@rs/core';
import {
  type LogicalGraph,
  type ProcessingTimeMode,
  runAsync,
  type RunOptions,
  runSync,
  type Scheduler,
  Task,
} from '@rs/runtime';
import { channels } from './diagnostics.ts';
import { MetricsCounter } from './metrics.ts';
import type { JobMetrics, JobResult } from './options.ts';
import { openReader } from './source/open-reader.ts';
import type { ReadOnce } from './source/read-once.ts';

export interface RunSettings {
  readonly logger: Logger;
  readonly clock: Clock;
  readonly scheduler: Scheduler;
  readonly processingTime: ProcessingTimeMode;
  /** Told of every late record as well as the run's own counter. */
  readonly total: MetricsCounter;
  readonly readOnce: ReadOnce;
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
    yield* runSync(graph, run.task, run.readers, turn);
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
  options: RunOptions,
): Promise<JobResult> {
  const run = new Run(graph, settings, 'async');
  try {
    const status = await runAsync(graph, run.task, run.readers, options);
    return { status, metrics: run.finished(status) };
  } catch (error) {
    throw run.failed(error);
  }
}

/** One run of a graph: its task, its readers, and what is told about it. */
class Run {
  readonly task: Task;
  readonly readers;
  readonly #metrics = new MetricsCounter();
  /** Tells subscribers which events belong together. */
  readonly #job = Object.freeze({ engine: 'memory' });

  constructor(graph: LogicalGraph, settings: RunSettings, mode: 'sync' | 'async') {
    const { logger, clock, scheduler, processingTime, total, readOnce } = settings;
    this.task = new Task({
      mode,
      processingTime,
      clock,
      logger,
      residentState: true,
      breathe: () => scheduler.breathe(),
    });
    this.task.onLate = (record) => {
      this.#metrics.countLate(record);
      total.countLate(record);
      if (channels.recordLate.hasSubscribers) channels.recordLate.publish(record);
    };
    this.readers = new Map(graph.sources.map((node) => [node, openReader(node, readOnce)]));
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

import { partitionOf, silentLogger } from '@rs/core';
import type { OutputRecord } from '../driver/batched/backend.ts';
import type { SourceNode } from '../graph/node.ts';
import { planTopology } from '../graph/topology.ts';
import type { StreamItem } from '../operator/stream-item.ts';
import type { ProcessingTimeMode } from '../operator/task.ts';
import { graphOf, type HarnessJob } from '../testing/job-harness.ts';
import { JobSimulation } from '../testing/job-simulation.ts';
import type { SimulatedTask } from '../testing/simulated-task.ts';
import { systemScheduler } from '../time/scheduler.ts';
import { FakeClock } from './fake-clock.ts';

export interface SimulatedOptions {
  readonly partitions: number;
  /** Default 1. */
  readonly batchSize?: number;
  /** Default `records`. */
  readonly processingTime?: ProcessingTimeMode;
  readonly maxFires?: number;
  readonly timerPage?: number;
  readonly onOutput?: (output: OutputRecord, task: SimulatedTask) => void;
}

/** A job in a simulation, with what it emits. */
export class Simulated {
  readonly clock = new FakeClock();
  readonly job: JobSimulation;
  readonly outputs: OutputRecord[] = [];
  readonly #sources: readonly SourceNode[];
  readonly #partitions: number;

  constructor(job: HarnessJob, options: SimulatedOptions) {
    const graph = graphOf(job);
    this.#partitions = options.partitions;
    this.#sources = graph.sources;
    this.job = new JobSimulation(
      planTopology(graph, () => options.partitions),
      {
        clock: this.clock,
        scheduler: systemScheduler,
        processingTime: options.processingTime ?? 'records',
        logger: silentLogger,
        batchSize: options.batchSize ?? 1,
        cachedBytes: 0,
        attempts: 1,
        ...(options.maxFires !== undefined && { maxFires: options.maxFires }),
        ...(options.timerPage !== undefined && { timerPage: options.timerPage }),
        onOutput: (output, task) => {
          this.outputs.push(output);
          options.onOutput?.(output, task);
        },
      },
    );
  }

  get values(): unknown[] {
    return this.outputs.map(({ value }) => value);
  }

  source(input = 0): SourceNode {
    return this.#sources[input] as SourceNode;
  }

  item(partition: number, item: StreamItem, input = 0): this {
    this.job.append(this.source(input), partition, item);
    return this;
  }

  record(partition: number, value: unknown, timestamp: number, input = 0): this {
    return this.item(partition, { type: 'record', value, timestamp }, input);
  }

  /** A record in the partition of its key. */
  keyed(key: string, value: unknown, timestamp: number, input = 0): this {
    return this.record(partitionOf(key, this.#partitions), value, timestamp, input);
  }

  end(input = 0): this {
    for (let partition = 0; partition < this.#partitions; partition++)
      this.item(partition, { type: 'end' }, input);
    return this;
  }

  /** The clock moves, and what is due fires. */
  async tickAt(time: number): Promise<void> {
    this.clock.time = time;
    await this.job.tick();
  }

  late(): number {
    return Object.values(this.job.lateRecords()).reduce((sum, count) => sum + count, 0);
  }
}

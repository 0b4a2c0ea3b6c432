import type { DataStream } from '@rs/core';
import type { EnvironmentDefaults } from '../builder/environment.ts';
import type { NodeKind } from '../graph/node.ts';
import type { PlannedOperator } from '../graph/plan.ts';
import { planTopology } from '../graph/topology.ts';
import { ChainedJob } from '../driver/chained.ts';
import { type AnyReceiver, NOWHERE } from '../operator/receiver.ts';
import type { LateRecord, ProcessingTimeMode, Task } from '../operator/task.ts';
import type { AnySlot } from '../state/access.ts';
import { FakeClock } from './fake-clock.ts';
import { newTask } from './new-task.ts';
import { Recorder } from './recorder.ts';
import { TestEnvironment } from './test-environment.ts';

export interface JobRunOptions {
  /** Default `sync`. */
  readonly mode?: 'sync' | 'async';
  /** Default `records`. */
  readonly processingTime?: ProcessingTimeMode;
  readonly environment?: Partial<EnvironmentDefaults>;
}

/** A stream of whatever type: `DataStream` itself is invariant. */
export interface AnyStream {
  addSink(sink: () => undefined, options: { readonly name: string }): unknown;
}

type Outputs = AnyStream | Readonly<Record<string, AnyStream>>;

/** The operators of a job on resident state, fed item by item; what they send is recorded. */
export class JobRun<T> {
  readonly clock = new FakeClock();
  readonly task: Task;
  readonly job: ChainedJob;
  readonly operators: readonly PlannedOperator[];
  readonly late: LateRecord[] = [];
  readonly #inputs: readonly AnyReceiver[];
  readonly #outputs = new Map<string, Recorder>();

  /** @param define returns the streams to record: one, or several by name */
  constructor(define: (input: DataStream<T>, env: TestEnvironment) => Outputs, options: JobRunOptions = {}) {
    const env = new TestEnvironment(options.environment);
    const defined = define(env.input<T>(), env);
    const streams = isStream(defined) ? { main: defined } : defined;
    for (const [name, stream] of Object.entries(streams)) stream.addSink(() => undefined, { name });
    const { mode = 'sync', processingTime = 'records' } = options;
    this.task = newTask({ mode, processingTime, clock: this.clock });
    this.task.onLate = (record) => void this.late.push(record);
    const graph = env.graph();
    this.job = new ChainedJob(
      planTopology(graph, () => 1),
      this.task,
      ({ name }) => this.output(name),
    );
    this.operators = this.job.plans.flatMap(({ operators }) => operators);
    this.#inputs = graph.sources.map((source) => this.job.head(source, 0));
  }

  output(name = 'main'): Recorder {
    const output = this.#outputs.get(name) ?? new Recorder();
    this.#outputs.set(name, output);
    return output;
  }

  /** Sends items to a source, as `[value, timestamp]`. */
  feed(...records: readonly (readonly [value: T, timestamp: number])[]): this {
    for (const [value, timestamp] of records)
      this.#send((input) => input.record(value, timestamp, undefined));
    return this;
  }

  watermark(timestamp: number): this {
    return this.#send((input) => input.watermark(timestamp));
  }

  end(): this {
    return this.#send((input) => input.end());
  }

  /** The head of a source, where there are several. */
  input(index: number): AnyReceiver {
    return this.#inputs[index] ?? NOWHERE;
  }

  /** Resolves when nothing is pending; rejects with the run's failure. */
  async settled(): Promise<void> {
    await this.task.settled();
    this.task.throwFailure();
  }

  operator(kind: NodeKind): PlannedOperator {
    const found = this.operators.find(({ node }) => node.kind === kind);
    if (found === undefined) throw new Error(`the job has no ${kind}`);
    return found;
  }

  /** The real clock moves. */
  advanceTo(time: number): this {
    this.clock.time = time;
    for (const { instance } of this.operators) {
      if ((instance.nextProcessingTime?.() ?? Infinity) <= time) instance.advanceProcessingTime?.(time);
    }
    this.task.throwFailure();
    return this;
  }

  slots(): readonly AnySlot[] {
    return this.job.plans.flatMap(({ place }) => place.store.slots());
  }

  /** Everything that is kept in state and timers, as readable text. */
  leftovers(): string[] {
    const cells = this.slots().flatMap((slot) =>
      [...slot.cells()].map((cell) => `${slot.state} ${String(cell.key)}`),
    );
    const timers = this.operators.flatMap(({ instance }) =>
      (['event', 'processing'] as const).flatMap((kind) =>
        (instance.timers?.[kind].all() ?? []).map(({ time, key }) => `${kind} timer ${String(key)}@${time}`),
      ),
    );
    return [...cells, ...timers];
  }

  #send(step: (input: AnyReceiver) => void): this {
    step(this.input(0));
    this.task.throwFailure();
    return this;
  }
}

function isStream(outputs: Outputs): outputs is AnyStream {
  return typeof outputs.addSink === 'function';
}

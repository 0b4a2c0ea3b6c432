import {
  type Clock,
  durationToMillis,
  type JobDefinition,
  RsError,
  systemClock,
} from '@rs/core';
import {
  buildGraph,
  describeGraph,
  EnvironmentBuilder,
  type GraphDescription,
  makeSink,
  type NodeInput,
  type ProcessingTimeMode,
  type Scheduler,
  type SinkNode,
  systemScheduler,
} from '@rs/runtime';
import { consoleLogger } from './console-logger.ts';
import { MetricsCounter } from './metrics.ts';
import { DEFAULTS, type ExecuteOptions, type JobMetrics, type JobResult, type MemoryEnvironmentOptions } from './options.ts';
import { runToEnd, type RunSettings, stepThrough } from './run.ts';
import { isAsyncSource } from './source/open-reader.ts';

/**
 * The in-memory engine: one process, one partition, state in memory. For tests and for small jobs.
 *
 * A pipeline in which nothing is asynchronous runs at once when a sink is attached, or when a stream is iterated; each
 * such run starts with empty state. Everything else is run by {@link executeAsync}: several sinks in one pass,
 * asynchronous sources, functions and sinks, unbounded sources.
 */
export class StreamExecutionEnvironment extends EnvironmentBuilder {
  readonly #options: MemoryEnvironmentOptions;
  readonly #eager: boolean;
  readonly #processingTime: ProcessingTimeMode;
  readonly #clock: Clock;
  readonly #scheduler: Scheduler;
  readonly #closeTimeout: number;
  readonly #metrics = new MetricsCounter();
  readonly #sinks: SinkNode[] = [];
  #executed = false;

  private constructor(options: MemoryEnvironmentOptions) {
    super({
      logger: options.logger ?? consoleLogger(),
      windowAllowedLateness: options.windowAllowedLateness ?? DEFAULTS.windowAllowedLateness,
      windowLatenessMode: options.windowLatenessMode ?? DEFAULTS.windowLatenessMode,
    });
    this.#options = options;
    this.#eager = options.eager ?? DEFAULTS.eager;
    this.#processingTime = options.processingTime ?? DEFAULTS.processingTime;
    this.#clock = options.clock ?? systemClock;
    this.#scheduler = options.scheduler ?? systemScheduler;
    this.#closeTimeout = durationToMillis(options.closeTimeout ?? DEFAULTS.closeTimeout, 'closeTimeout');
  }

  /** @throws RsError `RS_INVALID_DURATION` for a bad duration among the options */
  static getExecutionEnvironment(options: MemoryEnvironmentOptions = {}): StreamExecutionEnvironment {
    return new StreamExecutionEnvironment(options);
  }

  /**
   * Runs the sinks that were kept for later, or those of `job`, in one pass, and resolves when all sources have ended or
   * the run was cancelled.
   *
   * @throws RsError the first failure of a function, source or sink; `RS_NO_SINK` when there is nothing to run,
   *   `RS_ALREADY_EXECUTED` when the kept sinks have run already
   */
  executeAsync(options?: ExecuteOptions): Promise<JobResult>;
  executeAsync(job: JobDefinition, options?: ExecuteOptions): Promise<JobResult>;
  async executeAsync(first: JobDefinition | ExecuteOptions = {}, second: ExecuteOptions = {}): Promise<JobResult> {
    if (isJob(first)) return this.#execute(this.#sinksOf(first), second);
    if (this.#executed) {
      throw new RsError('RS_ALREADY_EXECUTED', 'this environment has been executed; make a new one, or pass a job made by defineJob');
    }
    this.#executed = true;
    return this.#execute(this.#sinks, first);
  }

  /** The graph of the sinks that were kept for later, or of `job`. @throws RsError `RS_NO_SINK`, `RS_DUPLICATE_UID` */
  describe(job?: JobDefinition): GraphDescription {
    return describeGraph(buildGraph(job === undefined ? this.#sinks : this.#sinksOf(job)));
  }

  /** Counts over all runs of this environment. */
  metrics(): JobMetrics {
    return this.#metrics.snapshot();
  }

  attachSink(sink: SinkNode): void {
    if (this.#executed) {
      throw new RsError('RS_ALREADY_EXECUTED', 'this environment has been executed; no sink can be attached to it any more');
    }
    const graph = buildGraph([sink]);
    if (!this.#eager || graph.sources.some(isAsyncSource)) {
      this.#sinks.push(sink);
      return;
    }
    const steps = stepThrough(graph, this.#settings());
    while (steps.next().done !== true);
  }

  *iterate(output: NodeInput): Generator<unknown, void> {
    const results: unknown[] = [];
    const sink = makeSink(this, { name: 'iteration' }, output, { invoke: (value: unknown) => void results.push(value) });
    for (const _round of stepThrough(buildGraph([sink]), this.#settings())) {
      yield* results;
      results.length = 0;
    }
    yield* results;
  }

  #sinksOf(job: JobDefinition): readonly SinkNode[] {
    const env = new StreamExecutionEnvironment({ ...this.#options, eager: false });
    job.define(env);
    return env.#sinks;
  }

  #execute(sinks: readonly SinkNode[], { signal }: ExecuteOptions): Promise<JobResult> {
    return runToEnd(buildGraph(sinks), this.#settings(), {
      scheduler: this.#scheduler,
      closeTimeout: this.#closeTimeout,
      signal,
    });
  }

  #settings(): RunSettings {
    return { logger: this.logger, clock: this.#clock, processingTime: this.#processingTime, total: this.#metrics };
  }
}

function isJob(value: JobDefinition | ExecuteOptions): value is JobDefinition {
  return 'define' in value;
}

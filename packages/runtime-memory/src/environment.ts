import { type Clock, durationToMillis, type JobDefinition, RsError, systemClock } from '@rs/core';
import {
  buildGraph,
  consoleLogger,
  describeGraph,
  EnvironmentBuilder,
  type GraphDescription,
  type LogicalGraph,
  makeSink,
  type NodeInput,
  type ProcessingTimeMode,
  type Scheduler,
  type SinkNode,
  systemScheduler,
} from '@rs/runtime';
import { MemoryCheckpointCoordinator } from './checkpoint/coordinator.ts';
import { CheckpointKeeper } from './checkpoint/keeper.ts';
import {
  assertSameSettings,
  type CheckpointingOptions,
  checkpointingSettings,
} from './checkpoint/options.ts';
import { checkEnvironmentOptions, checkExecuteOptions, checkJob, isJob } from './check-options.ts';
import { MetricsCounter } from './metrics.ts';
import {
  DEFAULTS,
  type ExecuteOptions,
  type JobMetrics,
  type JobResult,
  type MemoryEnvironmentOptions,
} from './options.ts';
import { runToEnd, type RunSettings, stepThrough } from './run.ts';
import { isAsyncSource } from './source/open-reader.ts';
import { ReadOnce } from './source/read-once.ts';
import { boundSink } from './topic/bound-sink.ts';
import { MemoryTopics } from './topic/memory-topics.ts';

/**
 * The in-memory engine: one process, state in memory. For tests and for small jobs. Sources have one partition, topics as
 * many as they were created with.
 *
 * A pipeline in which nothing is asynchronous runs at once when a sink is attached, or when a stream is iterated; each
 * such run starts with empty state. Everything else is run by {@link executeAsync}: several sinks in one pass,
 * asynchronous sources, functions and sinks, unbounded sources.
 */
export class StreamExecutionEnvironment extends EnvironmentBuilder {
  /** What `fromTopic` and `fromMqTopic` read, in this environment and in the jobs that it runs. */
  readonly topics: MemoryTopics;
  readonly #options: MemoryEnvironmentOptions;
  readonly #eager: boolean;
  readonly #processingTime: ProcessingTimeMode;
  readonly #clock: Clock;
  readonly #scheduler: Scheduler;
  readonly #closeTimeout: number;
  readonly #metrics = new MetricsCounter();
  readonly #readOnce = new ReadOnce();
  readonly #sinks: SinkNode[] = [];
  #checkpoints:
    { readonly keeper: CheckpointKeeper; readonly coordinator: MemoryCheckpointCoordinator } | undefined;
  /** True once the kept sinks have been taken: nothing that is attached later would run. */
  #executed = false;

  private constructor(options: MemoryEnvironmentOptions) {
    const {
      windowAllowedLateness = DEFAULTS.windowAllowedLateness,
      windowLatenessMode = DEFAULTS.windowLatenessMode,
      watermarkOutOfOrderness = DEFAULTS.watermarkOutOfOrderness,
      closeTimeout = DEFAULTS.closeTimeout,
    } = options;
    const logger = options.logger ?? consoleLogger();
    super({ logger, windowAllowedLateness, windowLatenessMode, watermarkOutOfOrderness });
    this.#options = options;
    this.#eager = options.eager ?? DEFAULTS.eager;
    this.#processingTime = options.processingTime ?? DEFAULTS.processingTime;
    this.#clock = options.clock ?? systemClock;
    this.#scheduler = options.scheduler ?? systemScheduler;
    this.topics = options.topics ?? new MemoryTopics({ clock: this.#clock });
    this.#closeTimeout = durationToMillis(closeTimeout, 'closeTimeout');
  }

  /** @throws RsError `RS_INVALID_ARGUMENT` or `RS_INVALID_DURATION` for a wrong option */
  static getExecutionEnvironment(options: MemoryEnvironmentOptions = {}): StreamExecutionEnvironment {
    checkEnvironmentOptions(options);
    return new StreamExecutionEnvironment(options);
  }

  /**
   * Runs the sinks that were kept for later, or those of `job`, in one pass, and resolves when all sources have ended or
   * the run was cancelled. A job can be run any number of times, also at the same time; the kept sinks run once. Every run
   * reads topics from their beginning and begins with empty state, unless it goes on from a checkpoint
   * ({@link enableCheckpointing}); with a storage there is one run at a time.
   *
   * @throws RsError the first failure of a function, source or sink; `RS_NO_SINK` when there is nothing to run,
   *   `RS_ALREADY_EXECUTED` when the kept sinks have run already, `RS_DUPLICATE_UID`, `RS_INVALID_ARGUMENT`,
   *   `RS_UNKNOWN_TOPIC`, `RS_NOT_COPARTITIONED`; with checkpoints `RS_CHECKPOINT_MISMATCH`, `RS_CHECKPOINT_FAILED`,
   *   `RS_CHECKPOINT_LOCKED`, `RS_CHECKPOINT_CORRUPT`, and `RS_UNSUPPORTED` while another run uses the storage
   */
  executeAsync(options?: ExecuteOptions): Promise<JobResult>;
  executeAsync(job: JobDefinition, options?: ExecuteOptions): Promise<JobResult>;
  async executeAsync(
    first: JobDefinition | ExecuteOptions = {},
    second: ExecuteOptions = {},
  ): Promise<JobResult> {
    const options = isJob(first) ? second : first;
    checkExecuteOptions(options);
    return this.#execute(isJob(first) ? this.#graphOf(first) : this.#ownGraph(), options);
  }

  /**
   * Lets checkpoints be taken of the runs that start from now on, of jobs that are passed to `executeAsync` too. Without
   * options it does nothing when that is so already.
   *
   * @returns this environment
   * @throws RsError `RS_INVALID_ARGUMENT`, also when it is enabled with other options; `RS_INVALID_DURATION`
   */
  enableCheckpointing(options: CheckpointingOptions = {}): this {
    const settings = checkpointingSettings(options);
    if (this.#checkpoints === undefined) {
      const keeper = new CheckpointKeeper({ settings, clock: this.#clock, logger: this.logger });
      this.#checkpoints = { keeper, coordinator: new MemoryCheckpointCoordinator(keeper) };
    } else if (Object.keys(options).length > 0) {
      assertSameSettings(this.#checkpoints.keeper.settings, settings);
    }
    return this;
  }

  /** `undefined` until {@link enableCheckpointing} was called. */
  getCheckpointCoordinator(): MemoryCheckpointCoordinator | undefined {
    return this.#checkpoints?.coordinator;
  }

  /** The graph of the sinks that were kept for later, or of `job`. @throws RsError `RS_NO_SINK`, `RS_DUPLICATE_UID` */
  describe(job?: JobDefinition): GraphDescription {
    return describeGraph(job === undefined ? buildGraph(this.#sinks) : this.#graphOf(job));
  }

  /** Counts over all runs of this environment. */
  metrics(): JobMetrics {
    return this.#metrics.snapshot();
  }

  attachSink(declared: SinkNode): void {
    if (this.#executed) {
      throw new RsError(
        'RS_ALREADY_EXECUTED',
        'this environment has been executed; no sink can be attached to it any more',
      );
    }
    const sink = boundSink(declared, this.topics);
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
    const sink = makeSink(this, { name: 'iteration' }, output, {
      invoke: (value: unknown) => void results.push(value),
    });
    // One record at a time: whoever iterates sees the results of each before the next one is read.
    for (const _round of stepThrough(buildGraph([sink]), this.#settings(), 1)) {
      yield* results;
      results.length = 0;
    }
  }

  /** The graph of the kept sinks, for their only run. */
  #ownGraph(): LogicalGraph {
    if (this.#executed) {
      throw new RsError(
        'RS_ALREADY_EXECUTED',
        'this environment has been executed; make a new one, or pass a job made by defineJob',
      );
    }
    if (this.#eager && this.#sinks.length === 0) {
      throw new RsError(
        'RS_NO_SINK',
        'no sink was kept for executeAsync: each ran when it was attached; ' +
          'make the environment with { eager: false }, or pass a job made by defineJob',
      );
    }
    const graph = buildGraph(this.#sinks);
    this.#executed = true;
    return graph;
  }

  #graphOf(job: JobDefinition): LogicalGraph {
    checkJob(job);
    const env = new StreamExecutionEnvironment({ ...this.#options, eager: false, topics: this.topics });
    job.define(env);
    const graph = buildGraph(env.#sinks);
    env.#executed = true;
    return graph;
  }

  #execute(graph: LogicalGraph, { signal }: ExecuteOptions): Promise<JobResult> {
    return runToEnd(graph, this.#settings(), {
      closeTimeout: this.#closeTimeout,
      signal,
    });
  }

  #settings(): RunSettings {
    return {
      logger: this.logger,
      clock: this.#clock,
      scheduler: this.#scheduler,
      processingTime: this.#processingTime,
      total: this.#metrics,
      readOnce: this.#readOnce,
      checkpoints: this.#checkpoints?.keeper,
      topics: this.topics,
    };
  }
}

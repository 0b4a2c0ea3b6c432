import {
  type DataStream,
  type JobDefinition,
  RsError,
  type SourceOptions,
  type StreamSource,
} from '@rs/core';
import { waitSignal, type WaitOptions } from '@rs/mq';
import { type RedisLike, toDriver } from '@rs/redis';
import {
  buildGraph,
  checkMethods,
  describeGraph,
  EnvironmentBuilder,
  type GraphDescription,
  type LogicalGraph,
  type SinkNode,
} from '@rs/runtime';
import type { RedisJobClient } from '../job/client.ts';
import type { MakeJobEngine } from '../job/job-engine.ts';
import { startJob } from '../job/start-job.ts';
import type { RedisRuntimeConfig } from '../options/config.ts';
import { resolveSettings } from '../options/resolve.ts';
import type { RuntimeSettings } from '../options/settings.ts';
import { createJobEngine } from '../task/create-job-engine.ts';

/**
 * The production engine: state, timers, windows and positions are in Redis and change together, so that each record counts exactly once,
 * whatever crashes. Topics are its sources; their partitions are shared by all processes that run the same job.
 */
export class RedisStreamExecutionEnvironment extends EnvironmentBuilder {
  readonly #redis: RedisLike;
  readonly #settings: RuntimeSettings;
  readonly #makeEngine: MakeJobEngine;
  readonly #sinks: SinkNode[] = [];
  #executed = false;

  private constructor(redis: RedisLike, settings: RuntimeSettings, makeEngine: MakeJobEngine) {
    const { logger, watermark, windowAllowedLateness, windowLatenessMode } = settings;
    const { outOfOrderness, idleTimeout = 0, idleMode, maxFutureSkew } = watermark;
    super({
      logger,
      windowAllowedLateness,
      windowLatenessMode,
      watermarkOutOfOrderness: outOfOrderness,
      watermarkIdleTimeout: idleTimeout,
      watermarkIdleMode: idleMode,
      ...(maxFutureSkew === undefined ? {} : { maxFutureSkew }),
    });
    this.#redis = redis;
    this.#settings = settings;
    this.#makeEngine = makeEngine;
  }

  /**
   * Nothing is connected before {@link executeAsync}.
   *
   * @param redis where Redis is: an ioredis `Redis` or `Cluster`, or a driver for another library. It is not connected or changed: its
   *   addresses and credentials are used for connections of our own
   * @throws RsError `RS_INVALID_ARGUMENT`, `RS_INVALID_NAME`, `RS_INVALID_DURATION`; `RS_UNSUPPORTED` for options of parts that this
   *   version does not have
   */
  static create(redis: RedisLike, config: RedisRuntimeConfig = {}): RedisStreamExecutionEnvironment {
    return RedisStreamExecutionEnvironment.with(redis, resolveSettings(config), createJobEngine);
  }

  /** @internal For tests, which have settings that users cannot choose. */
  static with(
    redis: RedisLike,
    settings: RuntimeSettings,
    makeEngine: MakeJobEngine = createJobEngine,
  ): RedisStreamExecutionEnvironment {
    // What is no Redis is noticed here, and not when the job is started.
    return new RedisStreamExecutionEnvironment(toDriver(redis), settings, makeEngine);
  }

  /**
   * Declares the streams of a job here, beside what was declared before.
   *
   * @returns this environment
   * @throws RsError `RS_ALREADY_EXECUTED` once the environment has been executed; what the definition throws
   */
  registerPipelineDefinition(job: JobDefinition): this {
    checkMethods(job, ['define'], 'registerPipelineDefinition', 'a job made by defineJob');
    this.#checkNew('no pipeline can be registered any more');
    job.define(this);
    return this;
  }

  /**
   * Starts what was declared. Resolves when this process is a member of the job and has asked for its share of the partitions; the
   * work goes on until the client is told to end it, or the input of a bounded job has ended. Once for each environment, also when it
   * fails.
   *
   * @throws RsError `RS_NO_SINK`, `RS_ALREADY_EXECUTED`, `RS_DUPLICATE_UID`; `RS_UNSUPPORTED`, with the operator, for what this engine
   *   cannot run; `RS_UNKNOWN_TOPIC`, `RS_NOT_COPARTITIONED`; `RS_GROUP_OF_JOB`, `RS_GROUP_IN_USE`; `RS_MANIFEST_MISMATCH`, with the
   *   differences, when stored state does not fit; `RS_INVALID_ARGUMENT` for operators without a uid when `requireUids` is set;
   *   `RS_REDIS_CONFIG`, `RS_REDIS_UNSUPPORTED`, and what the client throws. The reason of a `signal`, which takes back what was begun
   */
  async executeAsync(options: WaitOptions = {}): Promise<RedisJobClient> {
    return this.#start(waitSignal(options, 'executeAsync'));
  }

  /** Declares a job and starts it. @throws RsError as `registerPipelineDefinition` and {@link executeAsync} */
  async run(job: JobDefinition, options: WaitOptions = {}): Promise<RedisJobClient> {
    const signal = waitSignal(options, 'run');
    checkMethods(job, ['define'], 'run', 'a job made by defineJob');
    return this.registerPipelineDefinition(job).#start(signal);
  }

  async #start(signal: AbortSignal | undefined): Promise<RedisJobClient> {
    this.#checkNew('make a new one');
    const graph = buildGraph(this.#sinks);
    this.#executed = true;
    return startJob({
      redis: this.#redis,
      settings: this.#settings,
      graph,
      makeEngine: this.#makeEngine,
      signal,
    });
  }

  /** The graph of what was declared so far, or of `job`. @throws RsError `RS_NO_SINK`, `RS_DUPLICATE_UID` */
  describe(job?: JobDefinition): GraphDescription {
    return describeGraph(job === undefined ? buildGraph(this.#sinks) : this.#graphOf(job));
  }

  attachSink(sink: SinkNode): void {
    this.#checkNew('no sink can be attached to it any more');
    this.#sinks.push(sink);
  }

  iterate(): Iterator<unknown> {
    throw new RsError(
      'RS_UNSUPPORTED',
      'a stream on Redis cannot be iterated: it has no end of its own; end it with addSink',
    );
  }

  override fromElements<T>(..._elements: readonly T[]): DataStream<T> {
    throw notReadAgain('fromElements');
  }

  override fromCollection<T>(_elements: Iterable<T>): DataStream<T> {
    throw notReadAgain('fromCollection');
  }

  override addSource<T>(_source: StreamSource<T>, _options?: SourceOptions): DataStream<T> {
    throw notReadAgain('addSource');
  }

  override fromAsyncIterable<T>(_iterable: AsyncIterable<T>, _options?: SourceOptions): DataStream<T> {
    throw notReadAgain('fromAsyncIterable');
  }

  #graphOf(job: JobDefinition): LogicalGraph {
    checkMethods(job, ['define'], 'describe', 'a job made by defineJob');
    const env = new RedisStreamExecutionEnvironment(this.#redis, this.#settings, this.#makeEngine);
    job.define(env);
    return buildGraph(env.#sinks);
  }

  #checkNew(consequence: string): void {
    if (!this.#executed) return;
    throw new RsError('RS_ALREADY_EXECUTED', `this environment has been executed; ${consequence}`);
  }
}

function notReadAgain(method: string): RsError {
  return new RsError(
    'RS_UNSUPPORTED',
    `${method}: what it gives cannot be read again after a crash, so no job on Redis can be built on it; send it to a topic, and read that ` +
      'with fromTopic or fromMqTopic',
    { details: { operation: method } },
  );
}

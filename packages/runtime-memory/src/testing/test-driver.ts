import { checkTimestamp, type Duration, durationToMillis, type JobDefinition, type Topic } from '@rs/core';
import { consoleLogger } from '@rs/runtime';
import type { NewMessage } from '../topic/new-message.ts';
import { checkDriverOptions, checkTopicsAreRead } from './check-options.ts';
import { declaredJob } from './declared-job.ts';
import { DEFAULTS, type TestDriverOptions } from './options.ts';
import { RunningJob, unsupported } from './running-job.ts';
import { TestResults } from './test-results.ts';
import { type TopicOrName, topicsOf } from './topic-inputs.ts';

/** Where event time is moved: in a topic, or in one of its partitions. */
export interface WatermarkPlace {
  readonly topic: TopicOrName;
  /** Default: all partitions of the topic. */
  readonly partition?: number;
}

/**
 * Runs a job for a test, step by step and without real time: the test sends messages, moves the clock and the watermark, and
 * lets the job crash. Then it looks at what was committed: outputs, state, timers.
 *
 * The job runs as on an engine that stores state: in tasks, one per partition, each of which reads a log and commits after
 * every batch. Functions of the job are called, and may be called again for a record after a crash or a failure. Sinks are
 * not called: {@link outputs} has what they would get.
 *
 * Calls have effect one after the other, also when they are not awaited. A call that fails with an error of the job leaves
 * the failing record where it is: the next call tries it again. Only {@link crash} does not wait for calls before it that wait
 * themselves. After {@link close} every method throws `RS_CLOSED`.
 */
export class TestDriver extends TestResults {
  readonly #run: RunningJob;

  private constructor(run: RunningJob) {
    super(run);
    this.#run = run;
  }

  /**
   * Takes a job; nothing of it runs before the first call.
   *
   * @throws RsError `RS_INVALID_ARGUMENT`, `RS_INVALID_DURATION` or `RS_INVALID_TIMESTAMP` for a wrong option,
   *   `RS_UNKNOWN_TOPIC` for partitions of a topic that the job does not read; what declaring the job throws, `RS_NO_SINK`,
   *   `RS_DUPLICATE_UID`, `RS_NOT_COPARTITIONED`
   */
  static of(job: JobDefinition, options: TestDriverOptions = {}): TestDriver {
    checkDriverOptions(options);
    const graph = declaredJob(job, {
      logger: options.logger ?? consoleLogger(),
      watermarkOutOfOrderness: options.watermarkOutOfOrderness ?? DEFAULTS.watermarkOutOfOrderness,
      windowAllowedLateness: options.windowAllowedLateness ?? DEFAULTS.windowAllowedLateness,
      windowLatenessMode: options.windowLatenessMode ?? DEFAULTS.windowLatenessMode,
    });
    checkTopicsAreRead(options.topics ?? {}, topicsOf(graph));
    return new TestDriver(new RunningJob(graph, options));
  }

  /**
   * Sends a message, or several, which are then there at once. Resolves when the job has processed all full batches.
   * Messages with a key go to its partition, those without one take turns over the partitions; a message without a
   * timestamp gets the time of the driver's clock. Values are copied by the state codec, as on their way through a store.
   *
   * After a {@link crash} messages are kept until {@link restart}; a call that a crash interrupts resolves, as its messages are
   * in the topic.
   *
   * @param topic one that the job reads. Given as a {@link Topic} with a schema, values that it refuses are not sent; given by
   *   name, the job gets them, as it would if others had sent them
   * @throws RsError `RS_UNKNOWN_TOPIC`, `RS_INVALID_VALUE`, `RS_INVALID_KEY`, `RS_INVALID_TIMESTAMP`, `RS_INVALID_ARGUMENT`
   *   for a message that cannot be sent, and then none is; `RS_CLOSED` when the topic has ended; the job's error
   */
  send<V>(
    topic: Topic<unknown, V>,
    messages: NewMessage<NoInfer<V>> | readonly NewMessage<NoInfer<V>>[],
  ): Promise<void>;
  send(topic: string, messages: NewMessage<unknown> | readonly NewMessage<unknown>[]): Promise<void>;
  async send(
    topic: TopicOrName,
    messages: NewMessage<unknown> | readonly NewMessage<unknown>[],
  ): Promise<void> {
    this.#run.assertOpen('send');
    const append = this.#run.topics.prepare(topic, isArray(messages) ? messages : [messages]);
    return this.#run.inTurn('send', async () => {
      append();
      await this.#run.processUnlessCrashed();
    });
  }

  /**
   * Reads the sources that are no topics to their end: `fromElements`, `fromCollection`, `fromAsyncIterable`, `addSource`.
   * Does nothing when there are none, or when they have been read.
   *
   * @throws RsError `RS_SOURCE_FAILED`, the job's error; `RS_UNSUPPORTED` after a crash
   */
  async run(): Promise<void> {
    const { sources } = this.#run;
    return this.#run.whileRunning('run', () => sources.readAll(() => this.#run.process()));
  }

  /**
   * Commits what waits for a full batch.
   *
   * @throws RsError the job's error; `RS_UNSUPPORTED` after a crash
   */
  async flush(): Promise<void> {
    return this.#run.whileRunning('flush', () => this.#run.flush());
  }

  /**
   * Moves event time: nothing with a timestamp ≤ `timestamp` is expected any more, whatever the strategies of the job have
   * seen. Time that is there already stays. What waits for a full batch is committed before.
   *
   * @param timestamp epoch milliseconds
   * @param place one topic or partition, of which the watermark is known then; default: everywhere
   * @throws RsError `RS_INVALID_TIMESTAMP`, `RS_UNKNOWN_TOPIC`, `RS_INVALID_ARGUMENT` for a partition that does not exist,
   *   `RS_CLOSED` for a topic that has ended; the job's error; `RS_UNSUPPORTED` after a crash
   */
  async advanceWatermark(timestamp: number, place?: WatermarkPlace): Promise<void> {
    checkTimestamp(timestamp, 'advanceWatermark');
    return this.#run.whileRunning('advanceWatermark', async () => {
      await this.#run.topics.advance(timestamp, place);
      await this.#run.fireDue();
    });
  }

  /**
   * Lets time pass on the driver's clock: processing-time timers and windows fire, each at its time; sources become idle, and
   * what follows of it comes at its time; states expire. What waits for a full batch is committed before. After a crash only
   * the clock moves.
   *
   * While an earlier call waits for the clock, for a time-out or a retry of `mapAsync`, the clock moves for it as well: do
   * not await that call before. It moves once a hundred turns of the event loop have brought nothing. So a function that
   * answers within some turns is not timed out, but one that waits for real time, a server or a disk, may be.
   *
   * @throws RsError `RS_INVALID_DURATION`, the job's error
   */
  async advanceTime(duration: Duration): Promise<void> {
    return this.#run.pass('advanceTime', durationToMillis(duration, 'advanceTime'));
  }

  /**
   * A partition counts as idle until its next message: time goes on without it. What waits for a full batch is committed
   * before.
   *
   * @param partition its number, from 0; default: all partitions of the topic
   * @throws RsError `RS_UNKNOWN_TOPIC`, `RS_INVALID_ARGUMENT` for a partition that does not exist, `RS_CLOSED` for a topic
   *   that has ended; the job's error; `RS_UNSUPPORTED` after a crash
   */
  async idle(topic: TopicOrName, partition?: number): Promise<void> {
    return this.#run.whileRunning('idle', async () => {
      this.#run.topics.idle(topic, partition);
      await this.#run.flush();
    });
  }

  /**
   * Nothing comes any more, in a topic or at all: at the end of all its inputs an operator fires the timers and emits the
   * windows that are left. Sources that are no topics are read first, as by {@link run}. Everything that waits is committed.
   *
   * @throws RsError `RS_UNKNOWN_TOPIC`, the job's error; `RS_UNSUPPORTED` after a crash
   */
  async end(topic?: TopicOrName): Promise<void> {
    const { sources, topics } = this.#run;
    return this.#run.whileRunning('end', async () => {
      if (topic === undefined) await sources.readAll(() => this.#run.process());
      topics.end(topic);
      await this.#run.flush();
    });
  }

  /**
   * The process dies: each task has called the functions of the job for its next batch, and has not committed it. Nothing of
   * it has happened, but for what the functions have done outside. Functions are not closed. Until {@link restart} nothing is
   * processed.
   *
   * Earlier calls that were not awaited come as far as they can without the clock and without promises of the test; then they
   * are interrupted, and reject with `RS_CLOSED`, but for {@link send}.
   *
   * @throws RsError `RS_UNSUPPORTED` when it has crashed already
   */
  async crash(): Promise<void> {
    return this.#run.crash();
  }

  /**
   * A new process goes on from what was committed. Timers that became due meanwhile fire first; then full batches are
   * processed. The silence of sources is measured anew.
   *
   * @throws RsError the job's error; `RS_UNSUPPORTED` when it has not crashed
   */
  async restart(): Promise<void> {
    return this.#run.inOneLife('restart', async () => {
      const { job } = this.#run;
      if (!job.crashed)
        throw unsupported(
          'restart',
          'the job has not crashed; call crash first, or rebalance for new owners',
        );
      await job.restart();
      await this.#run.fireDue();
    });
  }

  /**
   * All tasks go to another process, which goes on from what was committed, as when processes join or leave. Functions are
   * opened anew, those of the owners before are closed, and the silence of sources is measured anew. A task whose functions
   * cannot be opened is opened by the next call.
   *
   * @throws RsError the job's error; `RS_UNSUPPORTED` after a crash
   */
  async rebalance(): Promise<void> {
    return this.#run.whileRunning('rebalance', async () => {
      await this.#run.job.rebalance();
      await this.#run.fireDue();
    });
  }

  /** Ends the driver: functions are closed, sources are cancelled, and calls under way fail with `RS_CLOSED`. */
  close(): Promise<void> {
    return this.#run.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}

function isArray<V>(messages: V | readonly V[]): messages is readonly V[] {
  return Array.isArray(messages);
}

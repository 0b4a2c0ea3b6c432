import { RsError } from '@rs/core';
import { consoleLogger, type LogicalGraph, type OutputRecord, planTopology } from '@rs/runtime';
import { JobSimulation } from '@rs/runtime/testing';
import { CallQueue } from './call-queue.ts';
import { DEFAULTS, type TestDriverOptions } from './options.ts';
import { PassingTime } from './passing-time.ts';
import { SourceInputs } from './source-inputs.ts';
import { TestClock } from './test-clock.ts';
import { TopicInputs, topicOf } from './topic-inputs.ts';

/** Retries wait as long as they may, so that a test knows when they come. */
const LONGEST = () => 1 - Number.EPSILON;

/** A job that is being tested, with its inputs, its clock, and the calls that have not had their turn yet. */
export class RunningJob {
  readonly graph: LogicalGraph;
  readonly job: JobSimulation;
  readonly clock: TestClock;
  readonly topics: TopicInputs;
  readonly sources: SourceInputs;
  /** Everything that was emitted, in the order of the commits. */
  readonly outputs: OutputRecord[] = [];
  /** The clock that states expire on, where that is the driver's. */
  readonly expiryClock: (() => number) | undefined;
  readonly #time: PassingTime;
  readonly #calls = new CallQueue();
  /** How many crashes were asked for, and the number of the last one that came. */
  #crashes = 0;
  #lastCrash = 0;
  #closing: Promise<void> | undefined;

  constructor(graph: LogicalGraph, options: TestDriverOptions) {
    const {
      topics = {},
      batchSize = DEFAULTS.batchSize,
      startTime = DEFAULTS.startTime,
      processingTime = DEFAULTS.processingTime,
      logger = consoleLogger(),
    } = options;
    this.graph = graph;
    this.clock = new TestClock(startTime);
    this.expiryClock = processingTime === 'clock' ? () => this.clock.now() : undefined;
    const topology = planTopology(graph, (source) => {
      const topic = topicOf(source);
      return topic !== undefined && Object.hasOwn(topics, topic) ? Number(topics[topic]) : 1;
    });
    this.job = new JobSimulation(topology, {
      clock: this.clock,
      scheduler: this.clock,
      random: LONGEST,
      processingTime,
      logger,
      batchSize,
      cachedBytes: 0, // What was changed without an update is not there for the next batch.
      attempts: 1,
      watchSideOutputs: true,
      onOutput: (output) => this.outputs.push(output),
    });
    this.topics = new TopicInputs(this.job, this.clock);
    this.sources = new SourceInputs(this.job, this.clock, logger);
    this.#time = new PassingTime(this.job, this.clock);
  }

  /** Gives a call its turn behind those before it. @throws RsError `RS_CLOSED` */
  inTurn<R>(method: string, call: () => Promise<R>): Promise<R> {
    this.assertOpen(method);
    return this.#calls.add(call);
  }

  /** As {@link inTurn}, for what a crashed job cannot do. @throws RsError also `RS_UNSUPPORTED` */
  whileRunning<R>(method: string, call: () => Promise<R>): Promise<R> {
    return this.inOneLife(method, () => {
      this.#assertRunning(method);
      return call();
    });
  }

  /** As {@link inTurn}, for what must not go on after a crash. @throws RsError `RS_CLOSED` also when a crash comes meanwhile */
  inOneLife<R>(method: string, call: () => Promise<R>): Promise<R> {
    const crashes = this.#crashes;
    const assertAlive = () => {
      if (this.#lastCrash > crashes) throw died(method);
    };
    return this.inTurn(method, async () => {
      assertAlive();
      try {
        return await call();
      } finally {
        assertAlive();
      }
    });
  }

  /** The process dies, once the calls before it wait for the clock or for promises of the test, if they have not ended. */
  crash(): Promise<void> {
    this.assertOpen('crash');
    const crash = ++this.#crashes;
    return this.#calls.overtake(async (before) => {
      await this.#time.endOrQuiet(before);
      this.assertOpen('crash');
      this.#assertRunning('crash');
      this.#lastCrash = crash;
      this.sources.interrupt(died('run'));
      await this.job.crash();
    });
  }

  /** As {@link process}; what a crash interrupts comes after the restart. */
  async processUnlessCrashed(): Promise<void> {
    const before = this.#lastCrash;
    try {
      await this.process();
    } catch (error) {
      if (this.#lastCrash === before) throw error;
    }
  }

  /** Processes full batches, and what is due then. */
  async process(): Promise<void> {
    await this.job.run();
    await this.fireDue();
  }

  /** Processes everything, and what is due then. */
  async flush(): Promise<void> {
    await this.job.flush();
    await this.fireDue();
  }

  fireDue(): Promise<void> {
    return this.#time.fireDue();
  }

  pass(method: string, millis: number): Promise<void> {
    return this.#time.pass(millis, (call) => this.inOneLife(method, call));
  }

  assertOpen(method: string): void {
    if (this.#closing === undefined) return;
    throw new RsError(
      'RS_CLOSED',
      `${method}: the test driver was closed; make a new one with TestDriver.of`,
      {
        details: { operation: method },
      },
    );
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  #assertRunning(method: string): void {
    if (this.job.crashed) throw unsupported(method, 'the job has crashed; call restart first');
  }

  async #close(): Promise<void> {
    this.sources.stop();
    this.job.close();
    await this.#calls.ended();
  }
}

function died(method: string): RsError {
  return new RsError(
    'RS_CLOSED',
    `${method}: the process crashed before the call had ended; after restart, call it again`,
    { details: { operation: method } },
  );
}

/** The error for what cannot be done in the state that the job is in. */
export function unsupported(method: string, problem: string): RsError {
  return new RsError('RS_UNSUPPORTED', `${method}: ${problem}`, { details: { operation: method } });
}

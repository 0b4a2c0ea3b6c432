import { type Logger, RsError } from '@rs/core';
import { type AnyReceiver, closeQuietly, failureOf, NOWHERE, type PartitionReader, Task } from '@rs/runtime';
import type { JobSimulation } from '@rs/runtime/testing';
import { openReaders } from '../source/open-reader.ts';
import { ReadOnce } from '../source/read-once.ts';
import { MemoryTopics } from '../topic/memory-topics.ts';
import type { TestClock } from './test-clock.ts';
import { topicOf } from './topic-inputs.ts';

/** Records that a source may have sent before they are processed: one, as where the job reads it itself. */
const TURN = 1;

interface OpenSource extends PartitionReader {
  readonly out: AnyReceiver;
  /** True while it has nothing to read. */
  waiting: boolean;
}

/** The sources of a job that are no topics. They are read by their own readers, one record after the other. */
export class SourceInputs {
  readonly #job: JobSimulation;
  readonly #logger: Logger;
  readonly #task: Task;
  /** Not opened yet. */
  #unopened: readonly PartitionReader[];
  readonly #open = new Set<OpenSource>();
  /** True while records of sources wait to be processed. */
  #taken = false;
  #failure: { readonly error: unknown } | undefined;
  #wake: () => void = () => undefined;
  readonly #clock: TestClock;
  /** Rejected when reading is stopped. */
  readonly #stopped: Promise<never>;
  #reject: (error: unknown) => void = () => undefined;
  /** The source that is being opened, until it is. */
  #opening: Promise<unknown> | undefined;
  #interrupted: Promise<never> = new Promise(() => undefined);
  #interrupt: (error: unknown) => void = () => undefined;

  constructor(job: JobSimulation, clock: TestClock, logger: Logger) {
    this.#job = job;
    this.#logger = logger;
    this.#clock = clock;
    this.#stopped = new Promise<never>((_resolve, reject) => {
      this.#reject = reject;
    });
    this.#stopped.catch(() => undefined); // Nobody may be reading.
    // On the clock, sources say at once that they have sent something.
    this.#task = new Task({
      mode: 'async',
      processingTime: 'clock',
      clock,
      scheduler: clock,
      logger,
      residentState: false,
    });
    const sources = job.topology.graph.sources.filter((source) => topicOf(source) === undefined);
    this.#unopened = openReaders(sources, { readOnce: new ReadOnce(), topics: new MemoryTopics({ clock }) });
  }

  /**
   * Reads everything. A job that fails may be asked again: reading goes on where it has stopped.
   *
   * @param process called after each record
   * @throws RsError `RS_SOURCE_FAILED`, what `process` throws, or `RS_CLOSED` when it is stopped or interrupted meanwhile
   */
  async readAll(process: () => Promise<void>): Promise<void> {
    if (this.#failure !== undefined) throw this.#failure.error;
    this.#interrupted = new Promise<never>((_resolve, reject) => {
      this.#interrupt = reject;
    });
    this.#interrupted.catch(() => undefined); // Nobody may be waiting.
    await this.#openAll();
    while (this.#open.size > 0) {
      let progressed = false;
      for (const one of this.#open) {
        await this.#processTaken(process);
        if (!one.waiting) progressed = (await this.#pump(one)) || progressed;
      }
      await this.#processTaken(process);
      if (!progressed) await this.#change();
      await this.#clock.breath();
      this.#assertRunning();
    }
  }

  /** Those who wait for a source are told `error`. Reading may go on later, where it has stopped. */
  interrupt(error: unknown): void {
    this.#interrupt(error);
  }

  /** Stops reading; nothing that sources still do is waited for. */
  stop(): void {
    this.#task.stop();
    this.#reject(new RsError('RS_CLOSED', 'the driver was closed while it read the sources'));
    for (const { reader } of this.#open) {
      closeQuietly(() => reader.cancel?.(), reader.name, this.#logger);
      closeQuietly(() => reader.close?.(), reader.name, this.#logger);
    }
    this.#open.clear();
  }

  async #openAll(): Promise<void> {
    for (;;) {
      if (this.#opening !== undefined) await Promise.race([this.#opening, this.#interrupted]);
      if (this.#unopened.length === 0) return;
      const [reader, ...later] = this.#unopened as [PartitionReader, ...PartitionReader[]];
      this.#unopened = later;
      const one = { ...reader, out: this.#receiver(reader), waiting: false };
      this.#open.add(one);
      this.#opening = this.#attempt(one, async () => one.reader.open?.());
    }
  }

  /** Returns whether the source had something to read. */
  async #pump(one: OpenSource): Promise<boolean> {
    const result = await this.#attempt(one, async () => ({ of: one.reader.pump(one.out, this.#task, TURN) }));
    if (result.of === 'more') return true;
    if (result.of === 'ended') {
      this.#open.delete(one);
      this.#job.append(one.source, one.partition, { type: 'end' });
      this.#take();
      await Promise.race([this.#attempt(one, async () => one.reader.close?.()), this.#interrupted]);
      return true;
    }
    this.#waitFor(one, result.of);
    return false;
  }

  #waitFor(one: OpenSource, ready: PromiseLike<unknown>): void {
    one.waiting = true;
    const proceed = () => {
      one.waiting = false;
      this.#wake();
    };
    ready.then(proceed, (error: unknown) => {
      this.#failed(one, error);
      proceed();
    });
  }

  /** Invariant: no further record is taken before this one has been processed, as in a run of the job. */
  async #processTaken(process: () => Promise<void>): Promise<void> {
    this.#assertRunning();
    if (!this.#taken) return;
    await process();
    this.#assertRunning();
    this.#taken = false;
    this.#task.finish();
  }

  /** From here on sources keep what they have, as they do while a job is busy. */
  #take(): void {
    if (this.#taken) return;
    this.#taken = true;
    this.#task.begin();
  }

  /** Until a source has something, or reading is stopped. */
  async #change(): Promise<void> {
    this.#assertRunning();
    if (this.#taken || [...this.#open].some(({ waiting }) => !waiting)) return;
    const changed = new Promise<void>((resolve) => {
      this.#wake = resolve;
    });
    await Promise.race([changed, this.#stopped, this.#interrupted]);
  }

  #receiver({ source, partition }: PartitionReader): AnyReceiver {
    return {
      ...NOWHERE,
      record: (value: unknown, timestamp, key) => {
        this.#job.append(source, partition, { type: 'record', value, timestamp, key });
        this.#take();
      },
    };
  }

  async #attempt<R>(one: OpenSource, step: () => Promise<R>): Promise<R> {
    try {
      return await Promise.race([step(), this.#stopped]);
    } catch (error) {
      throw this.#failed(one, error);
    }
  }

  #failed(one: OpenSource, error: unknown): unknown {
    this.#failure ??= { error: failureOf('RS_SOURCE_FAILED', one.reader.name, error) };
    return this.#failure.error;
  }

  #assertRunning(): void {
    if (this.#failure !== undefined) throw this.#failure.error;
    this.#task.assertRunning();
  }
}

import { setMaxListeners } from 'node:events';
import { type Logger, RsError, type Topic, checkObject, isRsError } from '@rs/core';
import type { RedisClient } from '@rs/redis';
import { refused } from '../checks/checks.ts';
import { isThenable } from '../checks/is-thenable.ts';
import { checkKnown } from '../checks/known-options.ts';
import { type WaitOptions, checkSignal, waitSignal } from '../checks/signal.ts';
import { topicValue } from '../checks/topic-value.ts';
import { type CloseOptions, closeTimeout } from '../close-options.ts';
import type { Ids, Random } from '../random.ts';
import { abortable } from '../time/abortable.ts';
import type { Timers } from '../time/timers.ts';
import type { TopicDirectory } from '../topics/topic-directory.ts';
import { type TopicLike, nameOf } from '../topics/topics.ts';
import { Admission } from './admission.ts';
import { closedProducer } from './delivery-error.ts';
import { type NewMessage, type Receipt, checkMessage } from './new-message.ts';
import { type Outgoing, outgoing } from './outgoing.ts';
import { Outstanding } from './outstanding.ts';
import type { PartitionQueue } from './partition-queue.ts';
import type { ProducerSettings } from './producer-options.ts';
import { SharedSignals } from './shared-signals.ts';
import { BatchSend, SingleSend, type Submission } from './submission.ts';
import { TopicLane } from './topic-lane.ts';

export interface SendOptions {
  /**
   * Takes back messages that are not under way yet; the promise is then rejected with the signal's reason. What is under way
   * goes on: when all is, the signal has no effect.
   */
  readonly signal?: AbortSignal | undefined;
}

/** How long `close` may take unless it is told. */
const CLOSE_TIMEOUT = '5s';

export interface ProducerParts {
  readonly client: Pick<RedisClient, 'run'>;
  readonly prefix: string;
  readonly directory: TopicDirectory;
  readonly settings: ProducerSettings;
  readonly timers: Timers;
  readonly random: Random;
  readonly ids: Ids;
  readonly logger: Logger;
  /** Told once, when it is closed. */
  readonly onClosed: (producer: Producer) => void;
}

/**
 * Sends messages to topics. One per process is enough: it serves all topics, and batches by partition.
 *
 * - **Order.** Messages of one partition are written in the order in which they were sent, also when Redis was away in
 *   between, and so are those of one key.
 * - **No doubles.** A batch whose reply was lost is sent again with the same sequence numbers, and Redis recognises it.
 * - **Accepted or waiting.** While `maxPending` messages are not confirmed, `send` waits before it accepts another. Await it,
 *   or count: callers that do neither keep what waits in memory.
 *
 * Made by `mq.producer()`.
 */
export class Producer {
  readonly #parts: ProducerParts;
  readonly #lanes = new Map<string, TopicLane>();
  readonly #outstanding = new Outstanding();
  readonly #admission: Admission;
  readonly #abandoned = new AbortController();
  readonly #signals = new SharedSignals();
  readonly #id: string;
  #scheduled: PartitionQueue[] = [];
  /** Calls of `flush` that wait. */
  #flushes = 0;
  #closing: Promise<void> | undefined;

  constructor(parts: ProducerParts) {
    this.#parts = parts;
    this.#id = parts.ids();
    this.#admission = new Admission(parts.settings);
    // One for each batch under way.
    setMaxListeners(0, this.#abandoned.signal);
  }

  /**
   * Sends a message. Its value, headers and key are taken as they are now; changes that come later change nothing. Given a
   * {@link Topic} with a schema, the value is checked, and what was given is sent: readers apply the schema themselves.
   *
   * @returns where it was written, once it was
   * @throws RsError as a rejection, before anything is written: `RS_UNKNOWN_TOPIC`; `RS_INVALID_VALUE` for what the schema or
   *   the codec refuses, for `undefined`, and for more than `maxMessageBytes`; `RS_INVALID_KEY`, `RS_INVALID_TIMESTAMP`,
   *   `RS_INVALID_ARGUMENT`; `RS_USER_FUNCTION_FAILED` when the schema throws; `RS_CLOSED`; what the client throws while the
   *   topic cannot be looked up for the first time.
   *   When it was not confirmed, with `details.fate`: `'unknown'` when it may have been written, else `'notWritten'`:
   *   `RS_REDIS_TIMEOUT` after `deliveryTimeout`, `RS_CLOSED` after `close`, and errors of Redis that do not go away
   */
  send<V>(topic: Topic<unknown, V>, message: NewMessage<NoInfer<V>>, options?: SendOptions): Promise<Receipt>;
  send(topic: string, message: NewMessage<unknown>, options?: SendOptions): Promise<Receipt>;
  send(topic: TopicLike, message: NewMessage<unknown>, options?: SendOptions): Promise<Receipt> {
    try {
      const signal = signalOf(options);
      const lane = this.#laneOf(topic, signal);
      const entry = this.#encode(message, lane.where);
      const checking = this.#check(topic, message.value);
      return new Promise((resolve, reject) => {
        const submission = new SingleSend(entry, this.#outstanding.round, resolve, reject);
        this.#submit(lane, submission, checking, signal);
      });
    } catch (error) {
      return rejected(error);
    }
  }

  /**
   * Sends many messages with one promise. All are checked before the first is accepted: when one of them is wrong, none is
   * written, and `details.index` says which.
   *
   * They are not written as a whole: those of one partition go in batches of `maxBatch`, each of which is written or not.
   *
   * @returns where each message was written, in the order of `messages`
   * @throws RsError as {@link Producer.send}. When some were not confirmed, the code of the first failure, with
   *   `details.receipts` (`undefined` for those that were not), `details.failed` (their places) and `details.errors`, which
   *   have a `details.fate` each
   */
  sendBatch<V>(
    topic: Topic<unknown, V>,
    messages: readonly NewMessage<NoInfer<V>>[],
    options?: SendOptions,
  ): Promise<Receipt[]>;
  sendBatch(
    topic: string,
    messages: readonly NewMessage<unknown>[],
    options?: SendOptions,
  ): Promise<Receipt[]>;
  sendBatch(
    topic: TopicLike,
    messages: readonly NewMessage<unknown>[],
    options?: SendOptions,
  ): Promise<Receipt[]> {
    try {
      const signal = signalOf(options);
      const lane = this.#laneOf(topic, signal);
      if (!Array.isArray(messages)) throw refused(`${lane.where}: messages`, 'an array', messages);
      const entries: Outgoing[] = [];
      const checks: PromiseLike<unknown>[] = [];
      // Not `forEach`, which passes over holes.
      for (const [index, message] of (messages as readonly NewMessage<unknown>[]).entries()) {
        try {
          entries.push(this.#encode(message, lane.where));
          const checking = this.#check(topic, message.value);
          if (checking !== undefined)
            checks.push(checking.then(undefined, (error) => rejected(at(index, error))));
        } catch (error) {
          for (const check of checks) check.then(undefined, () => undefined);
          throw at(index, error);
        }
      }
      if (entries.length === 0) return Promise.resolve([]);
      const checking = checks.length === 0 ? undefined : Promise.all(checks);
      return new Promise((resolve, reject) => {
        const submission = new BatchSend(nameOf(topic), entries, this.#outstanding.round, resolve, reject);
        this.#submit(lane, submission, checking, signal);
      });
    } catch (error) {
      return rejected(error);
    }
  }

  /**
   * Sends what waits, without lingering.
   *
   * @returns once everything that was sent before is confirmed or rejected; what is rejected says so at its own promise
   * @throws the reason of the `signal`, which ends the waiting; sending goes on
   */
  async flush(options: WaitOptions = {}): Promise<void> {
    const signal = waitSignal(options, 'flush');
    await abortable(this.#flush(), signal);
  }

  async #flush(): Promise<void> {
    const settled = this.#outstanding.settled();
    this.#flushes++;
    for (const lane of this.#lanes.values()) lane.flush();
    await settled;
    this.#flushes--;
  }

  /**
   * Takes no more messages, writes what waits within `timeout` (5 s by default), and rejects the rest with `RS_CLOSED`. Later calls wait for
   * the first.
   *
   * @throws RsError `RS_INVALID_ARGUMENT`, `RS_INVALID_DURATION`
   */
  async close(options: CloseOptions = {}): Promise<void> {
    const timeout = closeTimeout(options, CLOSE_TIMEOUT);
    this.#closing ??= this.#close(timeout);
    await this.#closing;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async #close(timeout: number): Promise<void> {
    const settled = this.#flush();
    let cancel = (): void => undefined;
    const over = new Promise<void>((resolve) => {
      cancel = this.#parts.timers.after(timeout, resolve);
    });
    await Promise.race([settled, over]);
    cancel();
    // First what waits, so that nothing of it is sent when what is under way ends.
    this.#admission.abandon(closedProducer('send'));
    for (const lane of this.#lanes.values()) lane.abandon();
    this.#abandoned.abort(closedProducer('close'));
    await settled;
    this.#parts.onClosed(this);
  }

  #laneOf(topic: TopicLike, signal: AbortSignal | undefined): TopicLane {
    const name = nameOf(topic);
    if (this.#closing !== undefined) throw closedProducer(`send to topic '${name}'`);
    signal?.throwIfAborted();
    let lane = this.#lanes.get(name);
    if (lane === undefined) this.#lanes.set(name, (lane = this.#newLane(name)));
    return lane;
  }

  #newLane(name: string): TopicLane {
    const { client, prefix, directory, settings, timers, random, logger } = this.#parts;
    return new TopicLane(name, {
      client,
      prefix,
      directory,
      settings,
      timers,
      random,
      logger,
      id: this.#id,
      signal: this.#abandoned.signal,
      linger: () => (this.#flushes === 0 ? settings.linger : 0),
      schedule: this.#schedule,
      settled: (messages, bytes) => this.#admission.release(messages, bytes),
      admit: (spread, submission) => this.#admission.enter(spread, submission),
    });
  }

  #encode(message: NewMessage<unknown>, where: string): Outgoing {
    checkMessage(message, where);
    const { codec, maxMessageBytes } = this.#parts.settings;
    try {
      return outgoing(message, codec, maxMessageBytes);
    } catch (error) {
      if (!isRsError(error)) throw error;
      const { code, cause = error, details } = error;
      throw new RsError(code, `${where}: ${error.message}`, { cause, details });
    }
  }

  /** @returns what a schema answers later; `undefined` when nothing is to be waited for */
  #check(topic: TopicLike, value: unknown): PromiseLike<unknown> | undefined {
    if (typeof topic === 'string' || topic.value === undefined) return undefined;
    const { name } = topic;
    const checked = topicValue(topic, value, `a value sent to topic '${name}'`, { topic: name });
    return isThenable(checked) ? checked : undefined;
  }

  #submit(
    lane: TopicLane,
    submission: Submission,
    checking: PromiseLike<unknown> | undefined,
    signal: AbortSignal | undefined,
  ): void {
    if (signal !== undefined) {
      const withdraw = (): void => {
        const waiting = this.#admission.withdraw(submission);
        const queued = lane.withdraw(submission);
        if (waiting || queued) submission.refused(signal.reason);
      };
      submission.release = this.#signals.watch(signal, withdraw);
    }
    lane.submit(submission, checking);
  }

  /** What is sent in one turn shares its batches. */
  readonly #schedule = (queue: PartitionQueue): void => {
    this.#scheduled.push(queue);
    if (this.#scheduled.length > 1) return;
    process.nextTick(() => {
      const queues = this.#scheduled;
      this.#scheduled = [];
      for (const one of queues) one.pump();
    });
  };
}

function signalOf(options: SendOptions | undefined): AbortSignal | undefined {
  if (options === undefined) return undefined;
  checkObject(options, 'send: options');
  checkKnown(options, ['signal'], 'send');
  checkSignal(options.signal, 'send');
  return options.signal;
}

function at(index: number, error: unknown): unknown {
  if (!isRsError(error)) return error;
  const { code, message, cause, details, retriable } = error;
  return new RsError(code, `messages[${index}]: ${message}`, {
    cause,
    retriable,
    details: { ...details, index },
  });
}

/** The reason of a signal may be anything, and is passed on as it is. */
async function rejected(error: unknown): Promise<never> {
  throw error;
}

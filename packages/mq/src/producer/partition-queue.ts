import { type Logger, RsError, isRsError } from '@rs/core';
import type { PartitionKeys, RedisClient, RedisReply, ScriptCall } from '@rs/redis';
import { produce } from '../lua/scripts.generated.ts';
import type { Random } from '../random.ts';
import type { Timers } from '../time/timers.ts';
import {
  type Fate,
  type Place,
  closedBatch,
  expiredBatch,
  refusedBatch,
  staleBatch,
} from './delivery-error.ts';
import { PartitionBatch } from './partition-batch.ts';
import type { ProducerSettings } from './producer-options.ts';
import type { Submission } from './submission.ts';

/** What the queues of a producer share. */
export interface QueueContext {
  readonly client: Pick<RedisClient, 'run'>;
  /** Id of the producer. */
  readonly id: string;
  readonly settings: ProducerSettings;
  readonly timers: Timers;
  readonly random: Random;
  readonly logger: Logger;
  /** Aborted when the time of `close` is over. */
  readonly signal: AbortSignal;
  /** Milliseconds that a batch waits for more messages. */
  readonly linger: () => number;
  /** Has the queue looked at once the turn is over. */
  readonly schedule: (queue: PartitionQueue) => void;
  /** These are no longer pending. */
  readonly settled: (messages: number, bytes: number) => void;
}

/** The pause before a refused batch is sent again: it doubles from `min` to `max`, and is a random part of that, at least half. */
const RETRY = { min: 20, max: 1_000 };

/**
 * The messages of one partition on their way, in order.
 *
 * Invariant: one batch is under way at a time, and the sequence of a batch is above that of every batch before it. So a batch
 * whose outcome is not known can only be written before the next one; afterwards Redis refuses it.
 */
export class PartitionQueue {
  readonly #place: Place;
  readonly #keys: PartitionKeys;
  readonly #context: QueueContext;
  /** In order. Only the last one may be open. */
  #waiting: PartitionBatch[] = [];
  #open: PartitionBatch | undefined;
  #underWay = false;
  #sequence = 1;

  constructor(place: Place, keys: PartitionKeys, context: QueueContext) {
    this.#place = place;
    this.#keys = keys;
    this.#context = context;
  }

  /** The batch that takes more messages. */
  get open(): PartitionBatch | undefined {
    return this.#open;
  }

  append(submission: Submission, index: number): void {
    const { maxBatch, maxBatchBytes } = this.#context.settings;
    const bytes = submission.entries[index]?.bytes ?? 0;
    let batch = this.#open;
    if (batch === undefined || batch.bytes + bytes > maxBatchBytes) {
      this.#seal();
      batch = this.#begin();
    }
    batch.add(submission, index);
    if (batch.size >= maxBatch || batch.bytes >= maxBatchBytes) this.#seal();
  }

  /** Sends the next batch when it is ready and none is under way. */
  pump(): void {
    if (this.#underWay || this.#waiting[0]?.ready !== true) return;
    const batch = this.#waiting.shift();
    if (batch === undefined) return;
    batch.release?.();
    if (batch === this.#open) this.#open = undefined;
    this.#underWay = true;
    void this.#send(batch);
  }

  /** Waits for no further messages. */
  flush(): void {
    if (this.#open !== undefined) this.#open.ready = true;
    this.pump();
  }

  /** Takes out what belongs to a submission and is not under way, and says whether there was something. */
  withdraw(submission: Submission): boolean {
    let messages = 0;
    let bytes = 0;
    for (const batch of this.#waiting) {
      messages += batch.size;
      bytes += batch.bytes;
      batch.withdraw(submission);
      messages -= batch.size;
      bytes -= batch.bytes;
    }
    if (messages === 0) return false;
    for (const batch of this.#waiting) if (batch.size === 0) batch.release?.();
    this.#waiting = this.#waiting.filter((batch) => batch.size > 0);
    if (this.#open?.size === 0) this.#open = undefined;
    this.#context.settled(messages, bytes);
    return true;
  }

  /** Rejects what is not under way. */
  abandon(): void {
    const batches = this.#waiting;
    this.#waiting = [];
    this.#open = undefined;
    for (const batch of batches) {
      batch.release?.();
      this.#fail(batch, closedBatch({ place: this.#place, messages: batch.size, fate: 'notWritten' }));
    }
  }

  #begin(): PartitionBatch {
    const { settings, timers } = this.#context;
    const linger = this.#context.linger();
    const batch = new PartitionBatch(linger === 0, timers.monotonic() + settings.deliveryTimeout);
    this.#open = batch;
    this.#waiting.push(batch);
    if (linger === 0) {
      if (!this.#underWay) this.#context.schedule(this);
    } else {
      batch.release = timers.after(linger, () => {
        batch.ready = true;
        this.pump();
      });
    }
    return batch;
  }

  #seal(): void {
    if (this.#open === undefined) return;
    this.#open.ready = true;
    this.#open = undefined;
    this.pump();
  }

  async #send(batch: PartitionBatch): Promise<void> {
    const sequence = this.#sequence;
    this.#sequence += batch.size;
    const written = await this.#deliver(batch, sequence);
    // The next one first: Redis works on it while the receipts of this one are handed out.
    this.#underWay = false;
    this.pump();
    if (isRsError(written)) {
      this.#fail(batch, written);
      return;
    }
    batch.written(this.#place.partition, written.ms, written.seq);
    this.#context.settled(batch.size, batch.bytes);
  }

  #fail(batch: PartitionBatch, error: RsError): void {
    const { size, bytes } = batch;
    batch.failed(error);
    this.#context.settled(size, bytes);
  }

  /** Never rejects. */
  async #deliver(batch: PartitionBatch, sequence: number): Promise<RsError | Written> {
    const { client, id, settings, timers, signal, logger } = this.#context;
    const messages = batch.size;
    const place = this.#place;
    const call: ScriptCall = produce({
      keys: { stream: this.#keys.log, pid: this.#keys.producers },
      args: { producer: id, sequence, fields: batch.fields },
    });
    let fate: Fate = 'notWritten';
    let cause: unknown;
    for (let attempt = 1; ; attempt++) {
      const left = batch.deadline - timers.monotonic();
      if (left <= 0) return expiredBatch({ place, messages, fate, cause }, settings.deliveryTimeout);
      try {
        const reply = await client.run(call, { timeout: left, signal });
        return this.#read(reply, messages, sequence);
      } catch (error) {
        // Also after an error reply: the client may have sent the batch before, and the reply that was lost may have been OK.
        if (!isRsError(error) || error.details.sent !== false) fate = 'unknown';
        if (signal.aborted) return closedBatch({ place, messages, fate });
        if (!isRsError(error) || !error.retriable) {
          return refusedBatch({ place, messages, fate, cause: error });
        }
        cause = error;
        logger.warn(
          { ...place, messages, attempt, error },
          `a batch to topic '${place.topic}' has to be sent again`,
        );
      }
      await this.#pause(attempt, batch.deadline);
      if (signal.aborted) return closedBatch({ place, messages, fate });
    }
  }

  #read(reply: RedisReply, messages: number, sequence: number): RsError | Written {
    const [status, first, second] = Array.isArray(reply) ? (reply as readonly RedisReply[]) : [];
    if ((status === 'OK' || status === 'DUP') && typeof first === 'string' && typeof second === 'string') {
      return { ms: first, seq: second };
    }
    if (status === 'STALE') return staleBatch(this.#place, messages, sequence, Number(first));
    const cause = new RsError('RS_REDIS_REPLY', 'produce got a reply that cannot be read', {
      details: { reply },
    });
    return refusedBatch({ place: this.#place, messages, fate: 'unknown', cause });
  }

  #pause(attempt: number, deadline: number): Promise<void> {
    const { timers, random, signal } = this.#context;
    const ceiling = Math.min(RETRY.max, RETRY.min * 2 ** Math.min(attempt - 1, 30));
    const wait = Math.min(ceiling / 2 + (random() * ceiling) / 2, deadline - timers.monotonic());
    return new Promise((resolve) => {
      const end = (): void => {
        cancel();
        signal.removeEventListener('abort', end);
        resolve();
      };
      const cancel = timers.after(wait, end);
      signal.addEventListener('abort', end);
    });
  }
}

interface Written {
  readonly ms: string;
  readonly seq: string;
}

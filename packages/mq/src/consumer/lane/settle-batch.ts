import type { RedisArgument } from '@rs/redis';
import { type Delivery, fieldsOf, nameOf } from './delivery.ts';

/**
 * Names and values that a dead letter holds. Lua passes on less than 8,000 arguments, and no message has so many: but what others write
 * into a stream must not hold it up.
 */
const MAX_FIELDS = 7_000;

export interface RetryRecord {
  readonly delivery: Delivery;
  /** Milliseconds until the next attempt. */
  readonly delay: number;
  /** Attempts that failed so far, as they are to be stored: it may change while the record is on its way. */
  readonly failed: number;
}

export interface DeadRecord {
  readonly delivery: Delivery;
  readonly failed: number;
  readonly reason: DeadReason;
  /** Facts about the error as JSON. */
  readonly error: string;
}

/**
 * Why a message became a dead letter: its attempts were used up, its handler or the policy said so, it cannot be decoded, or its
 * handler brought the process down too often.
 */
export type DeadReason = 'attempts' | 'handler' | 'policy' | 'undecodable' | 'crashed';

/** Outcomes that wait to be stored, in the order in which they came. */
export class SettleBatch {
  readonly done: Delivery[] = [];
  /** One for each delivery: what is retried again before the first record was written has only the second. */
  readonly retries = new Map<Delivery, RetryRecord>();
  readonly dead: DeadRecord[] = [];

  get size(): number {
    return this.done.length + this.retries.size + this.dead.length;
  }

  /** What leaves the list of pending entries with this batch. */
  forEachSettled(tell: (delivery: Delivery) => void): void {
    for (const delivery of this.done) tell(delivery);
    for (const { delivery } of this.dead) tell(delivery);
  }

  /** The five lists of `settle-messages.lua`. */
  arguments(): RedisArgument[] {
    const acknowledged: RedisArgument[] = [];
    const again: RedisArgument[] = [];
    const forgotten: RedisArgument[] = [];
    for (const delivery of this.done) {
      (delivery.redelivered ? again : acknowledged).push(delivery.id);
      if (delivery.recorded) forgotten.push(nameOf(delivery));
    }
    const list: RedisArgument[] = [acknowledged.length, ...acknowledged];
    list.push(again.length, ...again, forgotten.length, ...forgotten, this.retries.size);
    for (const { delivery, failed, delay } of this.retries.values())
      list.push(nameOf(delivery), failed, delay);
    list.push(this.dead.length);
    for (const { delivery, failed, reason, error } of this.dead) {
      const fields = fieldsOf(delivery).slice(0, MAX_FIELDS);
      list.push(nameOf(delivery), delivery.messageId, failed, reason, error, fields.length, ...fields);
    }
    return list;
  }
}

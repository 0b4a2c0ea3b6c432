import type { Duration, Topic } from '@rs/core';
import type { WaitOptions } from '../checks/signal.ts';
import type { CloseOptions } from '../close-options.ts';
import type { AsyncMessageHandler, BatchHandler, MessageHandler } from './handler.ts';
import type { BatchOptions, ConsumerSubscriptionOptions } from './subscription-options.ts';

export interface ConsumerOptions {
  /** Consumers of one group share the partitions of its topics; every group gets every message. `[A-Za-z0-9._-]{1,128}`. */
  readonly group: string;
  /** Shown as the owner of partitions, followed by a random part of its own: it need not be unique. Default: the host's name. */
  readonly name?: string;
  /**
   * How long this process may be out of touch (a blocked event loop, a cut network, Redis away) and keep its partitions. After that
   * they are another consumer's, and what handlers still do here changes nothing. A crash is noticed after this time and at most 750 ms
   * more. Default 15 s, from 500 ms.
   */
  readonly lease?: Duration;
  /** How often consumers look at who else is in the group: a new one waits that long for its share. Default 3 s. */
  readonly rebalanceInterval?: Duration;
  /** How long the read that waits for new messages blocks, and so how often an idle consumer asks Redis. Default 5 s. */
  readonly pollTimeout?: Duration;
}

/** What `close` left behind. */
export interface CloseReport {
  /** Handlers that were still running. Their messages are delivered again. */
  readonly abandoned: number;
  /** Partitions whose lease may still stand, since Redis has not confirmed that it was given back; it ends by itself. */
  readonly unreleased: number;
}

export type PartitionState = 'running' | 'paused' | 'draining' | 'ended';

export interface PartitionStatus {
  readonly topic: string;
  readonly partition: number;
  readonly state: PartitionState;
  /** Messages that were read and are not settled, parked ones included. */
  readonly inFlight: number;
  /** Messages that wait for a retry, or behind one. */
  readonly parked: number;
  /** Handlers that run. */
  readonly handling: number;
  /** Everything up to this id is settled. */
  readonly low: string;
}

export interface ConsumerStatus {
  readonly state: 'new' | 'running' | 'paused' | 'closed';
  readonly partitions: readonly PartitionStatus[];
}

/** Reads topics as a member of a group. */
export interface Consumer {
  /**
   * Handles the messages of a topic, one by one. Also after `start`.
   *
   * @throws RsError `RS_DUPLICATE_SUBSCRIPTION`, `RS_INVALID_ARGUMENT`, `RS_INVALID_NAME`, `RS_INVALID_DURATION`, `RS_CLOSED`
   */
  subscribe<T, Input>(
    topic: Topic<T, Input>,
    handler: AsyncMessageHandler<T>,
    options?: ConsumerSubscriptionOptions,
  ): void;
  subscribe<T, Input>(
    topic: Topic<T, Input>,
    handler: MessageHandler<T>,
    options?: ConsumerSubscriptionOptions,
  ): void;
  /** By its name alone nothing is known of the values. */
  subscribe(
    topic: string,
    handler: AsyncMessageHandler<unknown>,
    options?: ConsumerSubscriptionOptions,
  ): void;
  subscribe(topic: string, handler: MessageHandler<unknown>, options?: ConsumerSubscriptionOptions): void;
  /** Handles messages in batches, each of one partition. Otherwise as `subscribe`. */
  subscribeBatch<T, Input>(
    topic: Topic<T, Input>,
    handler: BatchHandler<T>,
    options?: ConsumerSubscriptionOptions & BatchOptions,
  ): void;
  subscribeBatch(
    topic: string,
    handler: BatchHandler<unknown>,
    options?: ConsumerSubscriptionOptions & BatchOptions,
  ): void;
  /**
   * Fulfilled when this consumer is in its group and has asked for its partitions once. Idempotent.
   *
   * A `signal` ends the waiting, and starting goes on; `close` ends that.
   *
   * @throws RsError `RS_UNKNOWN_TOPIC`, `RS_GROUP_OF_JOB`, `RS_CLOSED`; what the client throws. Then nothing runs, and it may be started again
   */
  start(options?: WaitOptions): Promise<void>;
  /**
   * Fulfilled when no handler runs; none starts until `resume`. Partitions stay with this consumer. A `signal` ends the waiting, and
   * the pause stands.
   *
   * @throws RsError `RS_CLOSED`
   */
  pause(options?: WaitOptions): Promise<void>;
  resume(): void;
  status(): ConsumerStatus;
  /**
   * Lets handlers end, stores their outcomes, gives the partitions back. In the last fifth of `timeout` (10 s by default) the signals of
   * handlers are aborted; what has not ended then goes to the next owner as it is, without an attempt being counted. It takes 0.5 s longer
   * at most, also without Redis. Idempotent.
   *
   * @throws RsError `RS_INVALID_ARGUMENT`, `RS_INVALID_DURATION`
   */
  close(options?: CloseOptions): Promise<CloseReport>;
  [Symbol.asyncDispose](): Promise<void>;
}

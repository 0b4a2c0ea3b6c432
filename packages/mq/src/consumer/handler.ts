import type { Message } from '@rs/core';
import type { HandlerResult, MessageResult, Outcome } from './outcome.ts';

/** What a handler knows about its call. */
export interface HandlerContext {
  /**
   * Aborted when the handler should give up: its time is over (`RS_HANDLER_TIMEOUT`), the lease of the partition is lost
   * (`RS_LEASE_LOST`: another process may already handle the message), or the consumer closes (`RS_CLOSED`). The reason is
   * that error. Pass it on to `fetch`, database drivers and the like.
   */
  readonly signal: AbortSignal;
  /** 1 at the first delivery; each failed attempt adds one, also over crashes and changes of the owner. */
  readonly attempt: number;
  readonly group: string;
  /**
   * With `ack: 'manual'`: settles the message. Also after the handler has returned; later calls have no effect.
   *
   * @throws RsError `RS_INVALID_ARGUMENT` with `ack: 'auto'`, where what the handler returns settles the message
   */
  ack(): void;
  /**
   * With `ack: 'manual'`: settles the message with any result that a handler may return.
   *
   * @throws RsError `RS_INVALID_ARGUMENT` with `ack: 'auto'`; `RS_INVALID_VALUE` for what is no result, and the message is not settled
   */
  settle(result: MessageResult | Outcome): void;
}

/**
 * Called once per message. It may return a promise; the message is settled when that is. What it throws counts as a failed
 * attempt.
 */
export type MessageHandler<T> = (
  message: Message<T>,
  context: HandlerContext,
) => HandlerResult | Promise<HandlerResult>;

/**
 * A {@link MessageHandler} that returns a promise. It is an overload of its own for the sake of TypeScript, which takes
 * `async () => 'RETRY'` for a promise of any text where a result may come with or without a promise. Results with a `then`, which
 * there are none of, keep the same from happening to `() => 'RETRY'`.
 */
export type AsyncMessageHandler<T> = (
  message: Message<T>,
  context: HandlerContext,
) => Promise<HandlerResult> | ((MessageResult | Outcome) & Pick<Promise<HandlerResult>, 'then'>);

/** What a batch handler knows about its call. */
export interface BatchContext {
  /** As {@link HandlerContext.signal}. */
  readonly signal: AbortSignal;
  readonly group: string;
  /** The attempt of each message, as {@link HandlerContext.attempt}. */
  readonly attempts: readonly number[];
}

/**
 * Called with up to `batch.max` messages of one partition, in order. It returns nothing when all succeeded, or one result for
 * each message. What it throws is a failed attempt of every message of the batch.
 */
export type BatchHandler<T> = (
  messages: readonly Message<T>[],
  context: BatchContext,
) => BatchResult | Promise<BatchResult>;

export type BatchResult = readonly HandlerResult[] | undefined | void;

import type { Message, RsError } from '@rs/core';
import type { Delivery } from './delivery.ts';
import type { Ending } from './ending.ts';

/** Makes the message of an entry. A promise only where the schema of the topic gives one. @throws RsError `RS_INVALID_VALUE` */
export type Decode = (
  delivery: Pick<Delivery, 'messageId' | 'm' | 'k' | 'h' | 'd'>,
) => Message<unknown> | Promise<Message<unknown>>;

/** Calls handlers. It knows nothing of order, retries or Redis. */
export interface Runner {
  /** Handlers that have not returned. */
  readonly active: number;
  start(deliveries: readonly Delivery[]): void;
  /** Aborts the signals of all handlers under way. */
  abort(reason: RsError): void;
}

export interface RunnerHost {
  /**
   * Whether handlers may be called for what was started: to be asked again after waiting for a message to be decoded. The lease may
   * be lost by then.
   */
  readonly mayHandle: boolean;
  /** Instead of `ended` and `returned`: the handler was not called, since it may not be any more. */
  notHandled(delivery: Delivery): void;
  /** Once per delivery: how it ended. With manual acknowledgement it may come after `returned`. */
  ended(delivery: Delivery, ending: Ending): void;
  /** Once per delivery: its handler has returned, or its time is over. */
  returned(delivery: Delivery): void;
}

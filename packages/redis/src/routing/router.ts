import type { Logger, RsError } from '@rs/core';
import type { Call } from '../client/call.ts';
import {
  SupervisedConnection,
  type SupervisedConnectionOptions,
} from '../connection/supervised-connection.ts';
import type { RedisDriver, RedisNode } from '../driver/driver.ts';
import { type BackoffLimits, backoff } from '../lane/backoff.ts';
import type { LaneOptions } from '../lane/lane.ts';

/** Knows which server a call goes to, and what follows when that server refuses it. */
export interface Router {
  /** The slot of the keys, where slots matter. @throws RsError `RS_REDIS_CROSS_SLOT` */
  slotOf(keys: readonly string[], what: string): number | undefined;
  dispatch(call: Call): void;
  /** The masters known after `call` was answered; it goes to any of them. */
  masters(call: Call): Promise<readonly RedisNode[]>;
  /**
   * The node to connect to for a key; undefined where the driver finds it.
   *
   * @param probe makes a call with that key, that does nothing: only a node that answers it serves the key
   */
  locate(probe: () => Call): Promise<RedisNode | undefined>;
  close(): void;
}

export interface RouterOptions {
  readonly driver: RedisDriver;
  readonly connectTimeout: number;
  readonly replyTimeout: number;
  /** Between attempts to connect. */
  readonly reconnect: BackoffLimits;
  /** Between attempts of a call that a server refused. */
  readonly retry: BackoffLimits;
  readonly random: () => number;
  readonly logger: Logger;
}

/** How every connection of a client is made and kept. */
export function supervision(
  options: RouterOptions,
  target: string,
  connect: SupervisedConnectionOptions['connect'],
): SupervisedConnectionOptions {
  const { driver, connectTimeout, reconnect, random, logger } = options;
  return { connect, driver: driver.name, target, connectTimeout, backoff: reconnect, random, logger };
}

/** What every lane has, whatever the topology. */
export function laneDefaults(
  options: RouterOptions,
  target: string,
  node?: RedisNode,
): Pick<LaneOptions, 'link' | 'replyTimeout'> {
  const { driver } = options;
  const supervised = supervision(options, target, (attempt) =>
    driver.connect(node === undefined ? attempt : { ...attempt, node }),
  );
  return {
    link: (events) => new SupervisedConnection(supervised, events),
    replyTimeout: options.replyTimeout,
  };
}

/** Dispatches a call that was refused once more, a little later. */
export function tryAgain(router: Router, call: Call, error: RsError, options: RouterOptions): void {
  call.refuse(error);
  call.pause(backoff(call.failures, options.retry, options.random), () => router.dispatch(call));
}

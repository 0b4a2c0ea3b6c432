import { RsError } from '@rs/core';
import type { Call } from '../client/call.ts';
import type { RedisNode } from '../driver/driver.ts';
import { Lane } from '../lane/lane.ts';
import { refusalOf } from './refusal.ts';
import { type Router, type RouterOptions, laneDefaults, tryAgain } from './router.ts';

/** One lane to the master. Which server that is, the driver finds out anew with every connection. */
export class SingleRouter implements Router {
  readonly #options: RouterOptions;
  readonly #lane: Lane;

  constructor(options: RouterOptions) {
    this.#options = options;
    this.#lane = new Lane({
      ...laneDefaults(options, 'the master'),
      refused: (call, error, lane, from) => this.#refused(call, error, lane, from),
      unreachable: (lane, error) => {
        if (!error.retriable) for (const call of lane.takeWaiting()) call.reject(error);
      },
      lost: () => undefined,
      stranded: () => undefined,
    });
  }

  /** A single server takes keys of any slots in one call. */
  slotOf(): undefined {
    return undefined;
  }

  dispatch(call: Call): void {
    this.#lane.push(call);
  }

  async masters(call: Call): Promise<readonly RedisNode[]> {
    this.dispatch(call);
    await call.promise;
    return call.sentTo === undefined ? [] : [call.sentTo];
  }

  /** The driver asks for the master with every connection. */
  async locate(): Promise<undefined> {
    return undefined;
  }

  close(): void {
    this.#lane.close();
  }

  #refused(call: Call, error: RsError, lane: Lane, from: RedisNode): void {
    switch (refusalOf(error, from).kind) {
      case 'final':
        call.reject(error);
        return;
      case 'moved':
      case 'ask':
        call.reject(clusterBehindSingle(error, from));
        return;
      case 'elsewhere':
        // A failover has left us with the old master: the driver knows the new one.
        lane.renew();
        break;
      case 'again':
        break;
    }
    tryAgain(this, call, error, this.#options);
  }
}

function clusterBehindSingle(error: RsError, from: RedisNode): RsError {
  return new RsError(
    'RS_REDIS_CONFIG',
    `${from.host}:${from.port} is a node of a cluster, but the client was made for a single server; ` +
      'make a Cluster of ioredis',
    { cause: error, details: { node: from } },
  );
}

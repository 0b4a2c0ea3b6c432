import type { Logger } from '@rs/core';
import { Doorbell, type Listener, type Timers } from '@rs/mq';
import type { RedisClient } from '@rs/redis';

export interface DoorbellsOptions {
  readonly client: Pick<RedisClient, 'topology' | 'dedicated'>;
  readonly timers: Timers;
  readonly logger: Logger;
  /** Milliseconds that a call blocks at most. */
  readonly block: number;
  /** Name of the connections, for people who look at the server. */
  readonly name: string;
}

/** Milliseconds without another failure after which a bell listens: it tries again every 2 s, and a read that succeeds says nothing for long. */
const FAILING = 3_000;

/** One blocking read for all logs of a server, or of a slot on a cluster, which tells when a log has something new. */
export class Doorbells {
  readonly #options: DoorbellsOptions;
  readonly #bells = new Map<string, Doorbell>();
  /** The last failure of each bell, until a read succeeds. */
  readonly #failures = new Map<string, { readonly error: unknown; readonly at: number }>();
  #closed = false;

  constructor(options: DoorbellsOptions) {
    this.#options = options;
  }

  /** Why a bell cannot listen; `undefined` when all can. */
  get failure(): unknown {
    const now = this.#options.timers.monotonic();
    for (const { error, at } of this.#failures.values()) if (now - at < FAILING) return error;
    return undefined;
  }

  /** @param slot the part of the keys that decides on their slot */
  watch(slot: string, listener: Listener, after: string): void {
    if (this.#closed) return;
    this.#bellOf(slot, listener.stream).watch(listener, after);
  }

  unwatch(slot: string, listener: Listener): void {
    this.#bells.get(this.#nameOf(slot))?.unwatch(listener);
  }

  close(): void {
    this.#closed = true;
    for (const bell of this.#bells.values()) bell.close();
    this.#bells.clear();
  }

  #nameOf(slot: string): string {
    return this.#options.client.topology === 'single' ? '' : slot;
  }

  #bellOf(slot: string, key: string): Doorbell {
    const { client, timers, logger, block, name } = this.#options;
    const place = this.#nameOf(slot);
    let bell = this.#bells.get(place);
    if (bell === undefined) {
      const connection = client.dedicated({ key, name });
      bell = new Doorbell({
        connection: {
          call: async (command, call) => {
            const reply = await connection.call(command, call);
            this.#failures.delete(place);
            return reply;
          },
          wake: () => connection.wake(),
          close: () => connection.close(),
        },
        block,
        timers,
        onTrouble: (error, told) => {
          this.#failures.set(place, { error, at: timers.monotonic() });
          logger[told ? 'warn' : 'debug']({ error }, 'waiting for messages failed; trying again');
        },
      });
      this.#bells.set(place, bell);
    }
    return bell;
  }
}

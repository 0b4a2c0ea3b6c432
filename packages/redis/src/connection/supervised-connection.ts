import { type Logger, RsError, isRsError } from '@rs/core';
import { channels } from '../diagnostics.ts';
import type { ConnectOptions, RedisConnection } from '../driver/driver.ts';
import { isTold } from '../is-told.ts';
import { type BackoffLimits, backoff } from '../lane/backoff.ts';
import type { Link, LinkEvents } from '../lane/link.ts';
import { monotonic } from '../monotonic.ts';

export interface SupervisedConnectionOptions {
  /** Finds the server anew with every connection: Sentinels and slots may have moved it. */
  readonly connect: (options: ConnectOptions) => Promise<RedisConnection>;
  /** The name of the driver, for the log. */
  readonly driver: string;
  /** What it connects to, for the log: `the master`, `10.0.0.1:6379`, `orders: reader`. */
  readonly target: string;
  readonly connectTimeout: number;
  readonly backoff: BackoffLimits;
  readonly random: () => number;
  readonly logger: Logger;
}

/** Milliseconds that a connection has to stand until its loss is news again: a server that is no master any more loses one after the other. */
const STABLE = 10_000;

/**
 * Keeps one connection to one place: makes it when it is wanted, and again after it was lost, with pauses in between. It
 * holds no commands: a connection that ends takes nothing along to the next one. Whatever happens is told.
 */
export class SupervisedConnection implements Link {
  readonly #options: SupervisedConnectionOptions;
  readonly #events: LinkEvents;
  readonly #closing = new AbortController();
  #current: RedisConnection | undefined;
  #connecting = false;
  /** Attempts that failed, and connections that ended before they were of use. */
  #failures = 0;
  #pause: NodeJS.Timeout | undefined;
  #standsSince = 0;
  /** Connections in a row that did not stand for long. */
  #losses = 0;

  constructor(options: SupervisedConnectionOptions, events: LinkEvents) {
    this.#options = options;
    this.#events = events;
  }

  get current(): RedisConnection | undefined {
    return this.#current;
  }

  connect(): void {
    if (this.#connecting || this.#current !== undefined || this.#closing.signal.aborted) return;
    this.#connecting = true;
    if (this.#failures === 0) {
      void this.#attempt();
      return;
    }
    const delay = backoff(this.#failures, this.#options.backoff, this.#options.random);
    this.#pause = setTimeout(() => void this.#attempt(), delay);
  }

  healthy(): void {
    this.#failures = 0;
  }

  drop(connection: RedisConnection): void {
    if (this.#current === connection) this.#current = undefined;
    connection.destroy();
  }

  close(): void {
    clearTimeout(this.#pause);
    this.#closing.abort(new RsError('RS_CLOSED', `the connection to ${this.#options.target} was closed`));
    if (this.#current !== undefined) this.drop(this.#current);
  }

  async #attempt(): Promise<void> {
    // Counted at once: it is taken back by the first reply, not by a connection that may end before one.
    this.#failures++;
    try {
      const { connect, connectTimeout } = this.#options;
      const connection = await connect({ timeout: connectTimeout, signal: this.#closing.signal });
      this.#connecting = false;
      this.#stand(connection);
    } catch (reason) {
      this.#connecting = false;
      if (!this.#closing.signal.aborted) this.#fail(reason);
    }
  }

  #stand(connection: RedisConnection): void {
    if (this.#closing.signal.aborted) {
      connection.destroy();
      return;
    }
    this.#current = connection;
    this.#standsSince = monotonic();
    void connection.closed.then((error) => this.#ended(connection, error));
    const { driver, target, logger } = this.#options;
    const { node } = connection;
    logger.info({ node, attempts: this.#failures }, `connected to ${target}`);
    channels.connected.publish({ driver, target, node });
    this.#events.connected(connection);
  }

  #ended(connection: RedisConnection, error: RsError): void {
    if (this.#current === connection) this.#current = undefined;
    const { driver, target, logger } = this.#options;
    const { node } = connection;
    if (this.#closing.signal.aborted) logger.debug({ node }, `closed the connection to ${target}`);
    else {
      if (monotonic() - this.#standsSince >= STABLE) this.#losses = 0;
      logger[isTold(++this.#losses) ? 'warn' : 'debug']({ node, error }, `lost the connection to ${target}`);
    }
    channels.disconnected.publish({ driver, target, node, error });
  }

  #fail(reason: unknown): void {
    const { driver, target, logger } = this.#options;
    const error = isRsError(reason)
      ? reason
      : new RsError('RS_REDIS_UNAVAILABLE', `${driver} could not connect to ${target}`, { cause: reason });
    const facts = { attempts: this.#failures, error };
    logger[isTold(this.#failures) ? 'warn' : 'debug'](facts, `could not connect to ${target}`);
    this.#events.failed(error);
  }
}

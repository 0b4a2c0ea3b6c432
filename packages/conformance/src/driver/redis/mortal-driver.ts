import { RsError } from '@rs/core';
import type {
  Arrived,
  ConnectOptions,
  RedisCommand,
  RedisConnection,
  RedisDriver,
  RedisReply,
} from '@rs/redis';

/**
 * A driver for a process that can be killed: from then on nothing that it sends reaches Redis, nothing that Redis answers reaches it, and
 * it says no good-bye.
 */
export class MortalDriver implements RedisDriver {
  readonly name: string;
  readonly topology: 'single' | 'cluster';
  readonly #driver: RedisDriver;
  readonly #connections = new Set<RedisConnection>();
  #watch = (): void => undefined;
  #dead = false;

  constructor(driver: RedisDriver) {
    this.name = driver.name;
    this.topology = driver.topology;
    this.#driver = driver;
  }

  /** @param watch called from now on before something is sent, and when it is answered; it may kill */
  watch(watch: () => void): void {
    this.#watch = watch;
  }

  get dead(): boolean {
    return this.#dead;
  }

  kill(): void {
    this.#dead = true;
    for (const connection of this.#connections) connection.destroy();
    this.#connections.clear();
  }

  async connect(options: ConnectOptions): Promise<RedisConnection> {
    this.#checkAlive('RS_REDIS_UNAVAILABLE');
    const connection = await this.#driver.connect(options);
    if (this.#dead) connection.destroy();
    this.#checkAlive('RS_REDIS_UNAVAILABLE');
    this.#connections.add(connection);
    return {
      node: connection.node,
      closed: connection.closed,
      send: (commands, arrived) => this.#send(connection, commands, arrived),
      traffic: () => connection.traffic(),
      destroy: () => {
        this.#connections.delete(connection);
        connection.destroy();
      },
    };
  }

  async #send(
    connection: RedisConnection,
    commands: readonly RedisCommand[],
    arrived: Arrived = () => undefined,
  ): Promise<RedisReply[]> {
    this.#watch();
    this.#checkAlive('RS_REDIS_CONNECTION_LOST');
    const replies = await connection.send(commands, (reply, at) => {
      if (!this.#dead) this.#watch();
      // An answer that comes to a dead process is the one that is lost: it was done, and nobody knows.
      if (!this.#dead) arrived(reply, at);
    });
    this.#checkAlive('RS_REDIS_CONNECTION_LOST');
    return replies;
  }

  #checkAlive(code: 'RS_REDIS_UNAVAILABLE' | 'RS_REDIS_CONNECTION_LOST'): void {
    if (this.#dead) throw new RsError(code, 'the process is dead');
  }
}

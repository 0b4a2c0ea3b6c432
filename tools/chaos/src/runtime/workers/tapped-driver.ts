import { RsError } from '@rs/core';
import type {
  Arrived,
  ConnectOptions,
  RedisCommand,
  RedisConnection,
  RedisDriver,
  RedisNode,
  RedisReply,
  RedisTraffic,
} from '@rs/redis';
import { type Call, callOf } from './call.ts';

/** What somebody between the engine and Redis sees, and may do. */
export interface Tap {
  /** Right before the call is written. */
  sending(call: Call): void;
  /** Right after its reply has come. `false`: the reply is lost, with its connection. */
  answered(call: Call, reply: RedisReply): boolean;
}

/** A driver with somebody who listens. */
export class TappedDriver implements RedisDriver {
  readonly name: string;
  readonly topology: 'single' | 'cluster';
  readonly #driver: RedisDriver;
  readonly #scripts: ReadonlyMap<string, string>;
  readonly #tap: Tap;

  /** @param scripts names by hash */
  constructor(driver: RedisDriver, scripts: ReadonlyMap<string, string>, tap: Tap) {
    this.name = driver.name;
    this.topology = driver.topology;
    this.#driver = driver;
    this.#scripts = scripts;
    this.#tap = tap;
  }

  async connect(options: ConnectOptions): Promise<RedisConnection> {
    return new TappedConnection(await this.#driver.connect(options), this.#scripts, this.#tap);
  }
}

class TappedConnection implements RedisConnection {
  readonly #connection: RedisConnection;
  readonly #scripts: ReadonlyMap<string, string>;
  readonly #tap: Tap;
  #lost = false;

  constructor(connection: RedisConnection, scripts: ReadonlyMap<string, string>, tap: Tap) {
    this.#connection = connection;
    this.#scripts = scripts;
    this.#tap = tap;
  }

  get node(): RedisNode {
    return this.#connection.node;
  }

  get closed(): Promise<RsError> {
    return this.#connection.closed;
  }

  async send(commands: readonly RedisCommand[], arrived?: Arrived): Promise<RedisReply[]> {
    const calls = commands.map((command) => callOf(command, this.#scripts));
    for (const call of calls) this.#tap.sending(call);
    let seen = 0;
    const see = (reply: RedisReply, at: number): void => {
      const call = calls[at];
      if (this.#lost || at < seen || call === undefined) return;
      seen = at + 1;
      if (this.#tap.answered(call, reply)) arrived?.(reply, at);
      else {
        this.#lost = true;
        this.#connection.destroy();
      }
    };
    const replies = await this.#connection.send(commands, see);
    // A driver may leave out telling of each reply.
    replies.forEach(see);
    if (this.#lost)
      throw new RsError('RS_REDIS_CONNECTION_LOST', 'the reply was lost', { details: { sent: true } });
    return replies;
  }

  traffic(): RedisTraffic {
    return this.#connection.traffic();
  }

  destroy(): void {
    this.#connection.destroy();
  }
}

import { RsError } from '@rs/core';
import type { ConnectOptions, RedisCommand, RedisConnection, RedisDriver, RedisReply } from '@rs/redis';

/** When a process dies: with its n-th script call of a kind, before the call reaches Redis or after, with its reply unread. */
export interface Death {
  /** From 1. */
  readonly call: number;
  readonly moment: 'before' | 'after';
}

/**
 * The connections of a process that dies at a certain moment: from then on nothing that it sends arrives, and nothing comes back, which
 * is all that Redis and other processes can see of a death.
 */
export class MortalDriver implements RedisDriver {
  readonly name: string;
  readonly topology: RedisDriver['topology'];
  readonly died: Promise<void>;
  readonly #driver: RedisDriver;
  readonly #death: Death;
  readonly #counts: (sha1: string) => boolean;
  readonly #connections = new Set<RedisConnection>();
  #calls = 0;
  #dead = false;
  #die: () => void = () => undefined;

  /** @param counts whether a call of the script with this SHA-1 counts */
  constructor(driver: RedisDriver, death: Death, counts: (sha1: string) => boolean) {
    this.name = driver.name;
    this.topology = driver.topology;
    this.#driver = driver;
    this.#death = death;
    this.#counts = counts;
    this.died = new Promise((resolve) => {
      this.#die = resolve;
    });
  }

  get dead(): boolean {
    return this.#dead;
  }

  /** Calls that counted. */
  get calls(): number {
    return this.#calls;
  }

  async connect(options: ConnectOptions): Promise<RedisConnection> {
    if (this.#dead) throw new RsError('RS_REDIS_UNAVAILABLE', 'the process is dead');
    const connection = await this.#driver.connect(options);
    this.#connections.add(connection);
    return {
      node: connection.node,
      closed: connection.closed,
      traffic: () => connection.traffic(),
      destroy: () => connection.destroy(),
      // Replies come with the end of `send`: one that a dead process was sent is nobody's.
      send: (commands) => this.#send(connection, commands),
    };
  }

  async #send(connection: RedisConnection, commands: readonly RedisCommand[]): Promise<RedisReply[]> {
    const fatal = commands.some(({ name, args }) => this.#isFatal(name, String(args[0])));
    if (fatal && this.#death.moment === 'before') this.#kill();
    if (this.#dead) return new Promise(() => undefined);
    const replies = await connection.send(commands);
    if (fatal) this.#kill();
    return this.#dead ? new Promise(() => undefined) : replies;
  }

  #isFatal(name: string, sha1: string): boolean {
    return name.startsWith('EVALSHA') && this.#counts(sha1) && ++this.#calls === this.#death.call;
  }

  #kill(): void {
    this.#dead = true;
    for (const connection of this.#connections) connection.destroy();
    this.#die();
  }
}

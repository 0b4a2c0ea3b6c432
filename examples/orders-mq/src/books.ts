import type { Redis } from 'ioredis';

export interface Entry {
  readonly order: string;
  readonly cents: number;
  readonly worker: string;
  readonly partition: number;
}

/** What `worker` did in `partition`. */
export interface Share {
  readonly worker: string;
  readonly partition: number;
  readonly entries: number;
}

/** The books of the shop, in Redis: which orders were charged, how often, and by whom. */
export class Books {
  readonly #redis: Redis;
  readonly #entries: string;
  readonly #cents: string;
  readonly #shares: string;

  constructor(redis: Redis, prefix: string) {
    this.#redis = redis;
    this.#entries = `${prefix}:{books}:entries`;
    this.#cents = `${prefix}:{books}:cents`;
    this.#shares = `${prefix}:{books}:shares`;
  }

  /**
   * A message may come twice: when a worker dies after this and before the message is settled. An order that is in the books
   * already adds no money to them; it is only counted.
   */
  async enter({ order, cents, worker, partition }: Entry): Promise<void> {
    await this.#redis
      .multi()
      .hincrby(this.#entries, order, 1)
      .hset(this.#cents, order, cents)
      .hincrby(this.#shares, `${partition}/${worker}`, 1)
      .exec();
  }

  /** Orders that were charged, each once however often it was entered. */
  async count(): Promise<number> {
    return this.#redis.hlen(this.#entries);
  }

  async turnover(): Promise<number> {
    const cents = await this.#redis.hvals(this.#cents);
    return cents.reduce((sum, each) => sum + Number(each), 0);
  }

  async shares(): Promise<Share[]> {
    const shares = await this.#redis.hgetall(this.#shares);
    return Object.entries(shares).map(([place, entries]) => {
      const [partition = '', worker = ''] = place.split('/');
      return { worker, partition: Number(partition), entries: Number(entries) };
    });
  }
}

import { Redis, type RedisOptions } from 'ioredis';

/** Counts what is sent, over all connections that are made of it. */
export class CountingRedis extends Redis {
  #calls: { count: number } = { count: 0 };

  static connectTo({ host, port }: { readonly host: string; readonly port: number }): CountingRedis {
    return new CountingRedis({ host, port, lazyConnect: true });
  }

  get calls(): number {
    return this.#calls.count;
  }

  override duplicate(override: Partial<RedisOptions> = {}): CountingRedis {
    const copy = new CountingRedis({ ...this.options, ...override });
    copy.#calls = this.#calls;
    return copy;
  }

  override sendCommand(...args: Parameters<Redis['sendCommand']>): unknown {
    this.#calls.count++;
    return super.sendCommand(...args);
  }
}

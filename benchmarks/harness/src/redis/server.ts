import { type RedisServer, startRedis } from '@rs/redis-server';
import { Redis } from 'ioredis';

/** The suite's own Redis, without persistence, and what it says of itself. */
export class Server {
  readonly #server: RedisServer;
  readonly #redis: Redis;

  private constructor(server: RedisServer, redis: Redis) {
    this.#server = server;
    this.#redis = redis;
  }

  static async start(): Promise<Server> {
    const server = await startRedis({ own: true });
    const redis = new Redis(server.url);
    return new Server(server, redis);
  }

  get host(): string {
    return this.#server.host;
  }

  get port(): number {
    return this.#server.port;
  }

  async version(): Promise<string> {
    return factOf(await this.#redis.info('server'), 'redis_version');
  }

  async empty(): Promise<void> {
    await this.#redis.flushall('SYNC');
  }

  /** Milliseconds of processor time so far. */
  async cpuMs(): Promise<number> {
    const info = await this.#redis.info('cpu');
    const seconds = Number(factOf(info, 'used_cpu_user')) + Number(factOf(info, 'used_cpu_sys'));
    return seconds * 1000;
  }

  /** Bytes that it has allocated. */
  async usedMemory(): Promise<number> {
    return Number(factOf(await this.#redis.info('memory'), 'used_memory'));
  }

  /** Bytes of all keys, by MEMORY USAGE with everything counted. */
  async memoryUsage(): Promise<number> {
    let bytes = 0;
    for await (const keys of this.#redis.scanStream({ count: 1_000 })) {
      const pipeline = this.#redis.pipeline();
      for (const key of keys as string[]) pipeline.memory('USAGE', key, 'SAMPLES', 0);
      const replies = (await pipeline.exec()) ?? [];
      for (const [error, usage] of replies) {
        if (error !== null) throw error;
        bytes += Number(usage);
      }
    }
    return bytes;
  }

  async stop(): Promise<void> {
    await this.#redis.quit();
    await this.#server.stop();
  }
}

function factOf(info: string, name: string): string {
  const value = new RegExp(`^${name}:(.*?)\\r?$`, 'm').exec(info)?.[1];
  if (value === undefined) throw new Error(`INFO of this Redis has no ${name}`);
  return value;
}

import { Redis } from 'ioredis';

/** A connection to look at what Redis holds, at which no fault is aimed. */
export function observingRedis(port: number): Redis {
  const redis = new Redis({
    host: '127.0.0.1',
    port,
    maxRetriesPerRequest: null,
    retryStrategy: () => 50,
  });
  // Told by the calls themselves: the server is away now and then.
  redis.on('error', () => undefined);
  return redis;
}

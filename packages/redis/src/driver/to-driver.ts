import { RsError } from '@rs/core';
import type { RedisDriver } from './driver.ts';
import { type IoredisInstance, isIoredisInstance } from './ioredis/instance.ts';
import { ioredisDriver } from './ioredis.ts';

/** What every option `redis` takes: a `Redis` or `Cluster` of ioredis, or a driver for another library. */
export type RedisLike = IoredisInstance | RedisDriver;

/** The driver to connect with. @throws RsError `RS_INVALID_ARGUMENT` for anything else, and as `ioredisDriver` */
export function toDriver(redis: RedisLike): RedisDriver {
  if (isRedisDriver(redis)) return redis;
  if (isIoredisInstance(redis)) return ioredisDriver(redis);
  throw new RsError(
    'RS_INVALID_ARGUMENT',
    `redis must be an instance of ioredis or a RedisDriver, got ${shown(redis)}; make one with ` +
      "new Redis('redis://localhost:6379') or new Cluster([{ host: 'localhost', port: 7000 }]) of the package ioredis",
    { details: { received: redis } },
  );
}

export function isRedisDriver(value: unknown): value is RedisDriver {
  return (
    typeof value === 'object' &&
    value !== null &&
    typeof Reflect.get(value, 'name') === 'string' &&
    typeof Reflect.get(value, 'connect') === 'function' &&
    ['single', 'cluster'].includes(String(Reflect.get(value, 'topology')))
  );
}

function shown(value: unknown): string {
  if (typeof value === 'string') return `'${value}'`;
  if (typeof value === 'object' && value !== null)
    return `an object of ${value.constructor?.name ?? 'no class'}`;
  return typeof value === 'function' ? 'a function' : String(value);
}

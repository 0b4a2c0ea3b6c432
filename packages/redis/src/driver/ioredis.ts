import { RsError } from '@rs/core';
import type { RedisDriver } from './driver.ts';
import { clusterDriver } from './ioredis/cluster-driver.ts';
import { type IoredisInstance, isIoredisInstance } from './ioredis/instance.ts';
import { singleDriver } from './ioredis/single-driver.ts';

/**
 * Connections through ioredis, 5.4 to 6, for a server, Sentinels or a cluster. Only the options of the instance are used,
 * address, TLS, user and database among them: it is never connected, written to, listened to or closed, so that it may also be
 * lazy, and ended before the driver.
 *
 * What ioredis offers beyond a connection is off: offline queue, sending again, reconnecting, timeouts, ready check.
 *
 * @throws RsError `RS_INVALID_ARGUMENT` for anything but an instance of ioredis, and for one with a `keyPrefix`
 */
export function ioredisDriver(redis: IoredisInstance): RedisDriver {
  if (!isIoredisInstance(redis)) {
    throw new RsError(
      'RS_INVALID_ARGUMENT',
      'ioredisDriver takes an instance of ioredis, such as new Redis() or new Cluster([{ port: 7000 }])',
    );
  }
  return redis.isCluster ? clusterDriver(redis) : singleDriver(redis);
}

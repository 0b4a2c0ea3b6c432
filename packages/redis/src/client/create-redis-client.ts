import { checkObject, silentLogger } from '@rs/core';
import { DedicatedConnection } from '../connection/dedicated-connection.ts';
import { DEFAULTS } from '../defaults.ts';
import { type RedisLike, toDriver } from '../driver/to-driver.ts';
import { systemRandom } from '../random.ts';
import { ClusterRouter } from '../routing/cluster-router.ts';
import { type RouterOptions, supervision } from '../routing/router.ts';
import { SingleRouter } from '../routing/single-router.ts';
import type { RedisClient } from './client.ts';
import type { RedisClientOptions } from './options.ts';
import { RoutedClient, checkTimeout } from './routed-client.ts';

/**
 * The client that the packages on top use. It makes connections of its own, with the first call; the ioredis instance only
 * says where to and how (addresses, TLS, user, Sentinel), and stays yours.
 *
 * @param redis a `Redis` or `Cluster` of ioredis, or a driver for another library
 * @throws RsError `RS_INVALID_ARGUMENT`
 */
export function createRedisClient(redis: RedisLike, options: RedisClientOptions = {}): RedisClient {
  checkObject(options, 'createRedisClient: options');
  const driver = toDriver(redis);
  const router: RouterOptions = {
    driver,
    connectTimeout: checkTimeout(options.connectTimeout ?? DEFAULTS.connectTimeout, 'connectTimeout'),
    replyTimeout: checkTimeout(options.replyTimeout ?? DEFAULTS.replyTimeout, 'replyTimeout'),
    reconnect: DEFAULTS.reconnect,
    retry: DEFAULTS.retry,
    random: options.random ?? systemRandom,
    logger: options.logger ?? silentLogger,
  };
  return new RoutedClient({
    driver,
    router: driver.topology === 'cluster' ? new ClusterRouter(router) : new SingleRouter(router),
    commandTimeout: checkTimeout(options.commandTimeout ?? DEFAULTS.commandTimeout, 'commandTimeout'),
    dedicated: ({ target, connect, unblock }) =>
      new DedicatedConnection({
        ...supervision(router, target, connect),
        slack: DEFAULTS.blockSlack,
        unblock,
      }),
  });
}

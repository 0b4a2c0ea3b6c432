/** What the programs are told, as environment variables. */
export interface Settings {
  /** Default `redis://localhost:6379`. */
  readonly redisUrl: string;
  /** What all keys of the shop begin with. Default `shop`. */
  readonly prefix: string;
  /** Orders to send. Default 20,000. */
  readonly orders: number;
  /** Over how many seconds they are spread. Default 4. */
  readonly seconds: number;
  /** Decides which orders fail. Default 1. */
  readonly seed: number;
  /** The name of this worker. Default `worker`. */
  readonly name: string;
}

export function settingsOf(env: NodeJS.ProcessEnv): Settings {
  return {
    redisUrl: env['REDIS_URL'] ?? 'redis://localhost:6379',
    prefix: env['SHOP_PREFIX'] ?? 'shop',
    orders: Number(env['SHOP_ORDERS'] ?? 20_000),
    seconds: Number(env['SHOP_SECONDS'] ?? 4),
    seed: Number(env['SHOP_SEED'] ?? 1),
    name: env['SHOP_NAME'] ?? 'worker',
  };
}

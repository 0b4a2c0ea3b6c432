import { afterAll, beforeAll } from '@jest/globals';
import type { RedisOptions } from './server/options.ts';
import { type RedisServer, startRedis } from './server/standalone.ts';

/** Long enough to download a server where there is none yet. */
const START_TIMEOUT_MS = 10 * 60_000;

/**
 * One server for all tests of a file, started before the first and stopped after the last. Call it at the top of the
 * file or of a `describe`; the function it returns gives the server inside of tests and hooks.
 *
 * Without options and with `REDIS_URL` that is a server which other files use at the same time: use keys of your own.
 *
 * @throws Error from the hook, as `startRedis`: the tests fail then
 */
export function useRedis(options: RedisOptions = {}): () => RedisServer {
  let server: RedisServer | undefined;
  beforeAll(async () => {
    server = await startRedis(options);
  }, START_TIMEOUT_MS);
  afterAll(async () => {
    await server?.stop();
  });
  return () => {
    if (server === undefined)
      throw new Error('useRedis: the server runs only during tests and hooks of this file');
    return server;
  };
}

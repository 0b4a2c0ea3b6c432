import type { Logger } from '@rs/core';
import { type RedisClient, checkServer } from '@rs/redis';

export interface ServerCheckOptions {
  readonly client: RedisClient;
  readonly logger: Logger;
  readonly allowEviction: boolean;
}

/**
 * Looks at Redis once, before anything is written: a server that is too old, a replica or one that may remove keys must not
 * be found out by lost messages. What failed is looked at again with the next call.
 */
export class ServerCheck {
  readonly #options: ServerCheckOptions;
  #checking: Promise<unknown> | undefined;

  constructor(options: ServerCheckOptions) {
    this.#options = options;
  }

  /** @throws RsError as `checkServer` */
  async passed(): Promise<void> {
    const { client, logger, allowEviction } = this.#options;
    this.#checking ??= checkServer(client, { logger, allowEviction }).catch((error: unknown) => {
      this.#checking = undefined;
      throw error;
    });
    await this.#checking;
  }
}

import type { RsError } from '@rs/core';
import type { RedisConnection } from '../driver/driver.ts';

/** What a lane needs of the supervised connection under it. */
export interface Link {
  /** The connection that stands; undefined while there is none. */
  readonly current: RedisConnection | undefined;
  /** Makes a connection, after a jittered pause when the last attempts failed. Called meanwhile it does nothing. */
  connect(): void;
  /** A reply came: the next loss starts with short pauses again. */
  healthy(): void;
  /** Destroys a connection that is of no use any more. */
  drop(connection: RedisConnection): void;
  /** Destroys the socket, and stops trying. Idempotent. */
  close(): void;
}

export interface LinkEvents {
  connected(connection: RedisConnection): void;
  failed(error: RsError): void;
}

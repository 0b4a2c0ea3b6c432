import type { RsError } from '@rs/core';

/**
 * One argument of a command. Text goes as UTF-8, bytes go as they are, numbers in decimal. Text with half a character (a
 * lone surrogate) and numbers that are not finite are refused with `RS_INVALID_ARGUMENT`, and nothing of their `send` is
 * written.
 */
export type RedisArgument = string | Uint8Array | number;

export interface RedisCommand {
  readonly name: string;
  readonly args: readonly RedisArgument[];
  /** Strings of the reply come as `Buffer`, untouched, instead of as text. Default false. */
  readonly binary?: boolean;
}

/**
 * A reply in the shapes of RESP2, whatever the server and the client speak: no maps, no doubles, no booleans. An error
 * reply, also one inside an array, is an `RsError` in the place of its reply (see `replyError`), never a rejection.
 */
export type RedisReply = null | number | string | Buffer | RsError | readonly RedisReply[];

export interface RedisNode {
  readonly host: string;
  readonly port: number;
}

export interface ConnectOptions {
  /** A node of the cluster. Without it: the master, resolved anew (Sentinel); in a cluster any node that answers. */
  readonly node?: RedisNode;
  /** Milliseconds until the connection is ready to take commands, TLS and AUTH included; then the attempt is given up. */
  readonly timeout: number;
  /** Ends the attempt. It does not touch a connection that stands. */
  readonly signal?: AbortSignal;
}

/** The bytes of one connection. */
export interface RedisTraffic {
  /** That came from the server so far, also those of a reply that is not complete. */
  readonly received: number;
  /** That the operating system took so far, also those of a command that it has not taken whole. A dead connection takes some, too. */
  readonly sent: number;
  /** That were written, and wait until it takes more. */
  readonly waiting: number;
}

/** Is told the reply of the command that stood at `at`. It does not throw. */
export type Arrived = (reply: RedisReply, at: number) => void;

/**
 * One connection to one server. It never reconnects, never queues while it is down and never sends anything twice:
 * whoever supervises it decides on that.
 */
export interface RedisConnection {
  readonly node: RedisNode;
  /** Settled when the connection is gone, with the reason: `RS_REDIS_CONNECTION_LOST`. Never rejected. */
  readonly closed: Promise<RsError>;
  /**
   * Writes the commands at once and in order. Fulfilled with one reply for each.
   *
   * @param arrived told each reply, in order, as soon as it is there: with it, nobody waits for the commands of others that were
   *   sent with theirs. A driver may leave it out
   * @throws RsError `RS_REDIS_CONNECTION_LOST` when the connection ends before all replies are there. What was written
   *   may have been executed or not; `details.sent` is false when nothing was written
   */
  send(commands: readonly RedisCommand[], arrived?: Arrived): Promise<RedisReply[]>;
  /**
   * How far its bytes have come: what takes long is told from what is dead by it. Cheap, for it is asked with every `send`; with TLS
   * it need not be exact, but it has to move when they do.
   */
  traffic(): RedisTraffic;
  /** Closes the socket at once, without a goodbye. Calls under way are rejected. Idempotent. */
  destroy(): void;
}

/**
 * What @rs needs of a Redis client library: connections to single servers. Routing in a cluster, reconnecting, scripts
 * and deadlines are built on top of it and are the same for all libraries. `redisDriverCases` in
 * `@rs/redis/testing` is what a driver has to pass.
 */
export interface RedisDriver {
  /** For messages and diagnostics: the client library, such as `ioredis`. */
  readonly name: string;
  /** `single` for one master, with or without Sentinel. */
  readonly topology: 'single' | 'cluster';
  /**
   * @throws RsError `RS_REDIS_UNAVAILABLE` with the client's error as its cause (retriable), `RS_REDIS_AUTH` when the
   *   server refuses user or password (not retriable)
   */
  connect(options: ConnectOptions): Promise<RedisConnection>;
}

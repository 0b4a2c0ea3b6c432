import type { RsError } from '@rs/core';
import type { RedisReply, RedisCommand } from '../driver/driver.ts';
import type { ScriptCall } from '../script/script.ts';

export interface CallOptions {
  /** Ends the waiting; the promise is rejected with the signal's reason. What was sent may still be executed. */
  readonly signal?: AbortSignal;
  /**
   * Milliseconds until the call is given up, with everything in it: waiting for a connection, redirections, retries after
   * refusals (LOADING, CLUSTERDOWN, TRYAGAIN …) and, for scripts that may be sent again, after a lost reply.
   * Default: `DEFAULTS.commandTimeout`.
   */
  readonly timeout?: number;
  /** Bulk strings come as `Buffer`. Default false. */
  readonly binary?: boolean;
  /**
   * Is told each time that Redis refuses the call for now, with `RS_REDIS_REFUSED` (LOADING, OOM, READONLY …), and that it is going to be
   * sent again: before the deadline nothing else tells. Must not throw. Default: nobody is told.
   */
  readonly onRefused?: (error: RsError) => void;
}

/** A call without an answer. */
export interface WaitingCall {
  /** `GET`, `script commit-task`. */
  readonly name: string;
  /** Milliseconds since it was made. */
  readonly waited: number;
  /** What was in the way the last time: no connection, a lost one, a refusal. Undefined while nothing is known to be. */
  readonly error: RsError | undefined;
}

/** What the packages on top use: calls find their way, whatever the topology. */
export interface RedisClient {
  readonly topology: 'single' | 'cluster';
  /**
   * Runs a script by its SHA-1, loads it where it is missing, and gives its reply.
   *
   * Calls made in the same turn go out together, in order. Two calls for one slot are executed in the order in which they were
   * made as long as no connection is lost and nothing is redirected or refused; whoever needs more waits for the first. A
   * script cache that is emptied changes nothing about that, unless another client loads the script between the two.
   *
   * @throws RsError `RS_REDIS_CROSS_SLOT` before sending, when keys lie in several slots of a cluster; an error reply as
   *   `replyError` classifies it; `RS_REDIS_UNAVAILABLE` when there was no server to send it to, `RS_REDIS_TIMEOUT`,
   *   `RS_REDIS_CONNECTION_LOST`, `RS_CLOSED`
   */
  run(call: ScriptCall, options?: CallOptions): Promise<RedisReply>;
  /**
   * One command on the master that serves `key` (any master without one). Sent once: after a lost reply it is rejected with
   * `RS_REDIS_CONNECTION_LOST`, since only the caller knows whether it may be sent again.
   */
  command(command: RedisCommand, options?: CallOptions & { readonly key?: string }): Promise<RedisReply>;
  /** A connection of its own to the master that serves `key`, for commands that block. It is made with its first call. */
  dedicated(options: { readonly key: string; readonly name: string }): BlockingConnection;
  /** The masters; one on a single server. For startup checks and administration. */
  masters(options?: CallOptions): Promise<readonly MasterHandle[]>;
  /** The call that has waited for the longest time, blocking ones aside; undefined while none does. For those who tell how Redis is. */
  waiting(): WaitingCall | undefined;
  /** Ends everything at once, also while Redis is away; calls under way are rejected with `RS_CLOSED`. Idempotent. */
  close(): Promise<void>;
}

export interface MasterHandle {
  readonly node: { readonly host: string; readonly port: number };
  command(command: RedisCommand, options?: CallOptions): Promise<RedisReply>;
}

export interface BlockingCallOptions {
  /**
   * Milliseconds that the server may block. When no byte moves for a slack (`DEFAULTS.blockSlack`) after it, the socket is destroyed and the
   * call rejected with `RS_REDIS_TIMEOUT`; the next call makes a new connection. A reply that is still arriving is waited for.
   */
  readonly block: number;
  /** Ends the waiting, and the connection with it; the promise is rejected with the signal's reason. */
  readonly signal?: AbortSignal;
}

/** One blocking call at a time, each with a deadline of our own: the server's `BLOCK` is not trusted. */
export interface BlockingConnection {
  /** @throws RsError as `RedisClient.command` */
  call(command: RedisCommand, options: BlockingCallOptions): Promise<RedisReply>;
  /**
   * Several commands in one go, which all reach the same server over the same connection, in their order: for those that mean what the
   * connection has done before, such as `WAIT`.
   *
   * @returns a reply for each, errors among them as `RsError`; none at all when it was woken before they were sent
   * @throws RsError as `call`, but for error replies
   */
  calls(commands: readonly RedisCommand[], options: BlockingCallOptions): Promise<readonly RedisReply[]>;
  /**
   * Makes the call under way come back early, as if its time were over (`CLIENT UNBLOCK` from another connection; if that
   * does not help, the socket is destroyed). Without a call under way it does nothing.
   */
  wake(): void;
  /** Destroys the socket at once. Idempotent. */
  close(): void;
}

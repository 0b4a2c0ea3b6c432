import type { Logger } from '@rs/core';

export interface RedisClientOptions {
  /** Milliseconds that a call may take when it sets no `timeout` of its own. Default `DEFAULTS.commandTimeout`. */
  readonly commandTimeout?: number;
  /**
   * Milliseconds of silence with calls unanswered after which the connection is given up as dead, and scripts that may be
   * sent again are. Silence is when no byte moves, so a long reply or a large argument may take longer. It should be well below `commandTimeout`, and above the longest time the server needs for one command.
   * Default `DEFAULTS.replyTimeout`.
   */
  readonly replyTimeout?: number;
  /** Milliseconds for one attempt to connect. Default `DEFAULTS.connectTimeout`. */
  readonly connectTimeout?: number;
  /** Jitter of the pauses between attempts: from 0 up to, but not including, 1. Default: the machine's randomness. */
  readonly random?: () => number;
  /** Is told about lost connections and changes of the cluster. Default: says nothing. */
  readonly logger?: Logger;
}

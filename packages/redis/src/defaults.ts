/** Every default of @rs/redis. Times are in milliseconds. */
export const DEFAULTS = {
  /**
   * How long one attempt to connect may take: resolving the master, TCP, TLS, AUTH and SELECT together. Longer, and a
   * silent server delays the next attempt; shorter, and a slow network never gets a connection.
   */
  connectTimeout: 5_000,
  /**
   * How long a call may take with everything in it: waiting for a connection, redirections, retries after refusals and
   * the reply. Longer, and callers wait longer for a server that is away; shorter, and a failover fails calls that could
   * have waited.
   */
  commandTimeout: 10_000,
  /**
   * Silence (no byte moves) with calls unanswered after which a connection is taken for dead. Longer, and a half-open connection is noticed
   * later; shorter, and one slow command costs all calls beside it their connection. Well below `commandTimeout`, so
   * that what may be sent again is.
   */
  replyTimeout: 3_000,
  /**
   * Silence after the `block` of a blocking call after which its connection is taken for dead. Longer, and a
   * half-open connection is noticed later; shorter, and a busy server or process loses sound connections.
   */
  blockSlack: 2_000,
  /**
   * The wait before an attempt to connect that follows a failed one: it doubles from `min` to `max`, and is a random part
   * of that, at least half. A longer `max`, and a server that is back is found later; a shorter one, and its return is a
   * rush of all its clients.
   */
  reconnect: { min: 50, max: 2_000 },
  /**
   * The wait before a call is sent again that the server refused (LOADING, TRYAGAIN, OOM …), drawn in the same way. A longer
   * `max`, and calls go on later than they could; a shorter one, and a server in trouble has more to refuse.
   */
  retry: { min: 20, max: 1_000 },
} as const;

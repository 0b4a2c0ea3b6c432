import { RsError } from '@rs/core';
import type { NodeOptions } from './instance.ts';

/**
 * What turns a client of ioredis into one plain connection, on top of the options of the user's instance: nothing is
 * queued, sent again or made anew behind our back, and replies have the shapes of RESP2.
 */
export function plainOptions(base: NodeOptions, connectTimeout: number): object {
  return {
    lazyConnect: true,
    connectTimeout,
    retryStrategy: null,
    reconnectOnError: null,
    maxRetriesPerRequest: null,
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    autoResubscribe: false,
    enableAutoPipelining: false,
    // It waits for the end of LOADING, for as long as that takes. Who calls shall know instead.
    enableReadyCheck: false,
    disconnectTimeout: 0,
    monitor: false,
    // ioredis 6 speaks RESP3 unless told otherwise; ioredis 5 knows neither option.
    protocol: 2,
    replyMapping: 'legacy',
    himportFieldsets: undefined,
    stringNumbers: false,
    showFriendlyErrorStack: false,
    scripts: undefined,
    // Deadlines are ours: some of these resolve a call with null.
    commandTimeout: undefined,
    socketTimeout: undefined,
    blockingTimeout: undefined,
    // The handshake is ours too: ioredis goes on in database 0 when SELECT is refused, and is ready before AUTH is answered.
    username: null,
    password: null,
    db: 0,
    disableClientInfo: true,
    connectionName: sendableName(base.connectionName),
    ...masterOptions(base),
  };
}

/** @throws RsError `RS_INVALID_ARGUMENT` for options of ioredis that cannot work here */
export function checkOptions(options: NodeOptions): void {
  const { keyPrefix } = options;
  if (keyPrefix === undefined || keyPrefix === null || keyPrefix === '') return;
  throw new RsError(
    'RS_INVALID_ARGUMENT',
    `ioredisDriver: keyPrefix ${JSON.stringify(keyPrefix)} would hide keys from the scripts that make them; ` +
      'leave it out of the options of ioredis and use the option `prefix` of @rs instead, such as `createMq({ redis, prefix })`',
    { details: { option: 'keyPrefix', received: keyPrefix } },
  );
}

function masterOptions(base: NodeOptions): object {
  const common = { role: 'master', readOnly: false };
  if (base.sentinels === undefined || base.sentinels === null) return common;
  return {
    ...common,
    // ioredis adds to the list what it learns, and that must not be the user's.
    sentinels: [...base.sentinels],
    // One round through the Sentinels: the next attempt is our supervisor's.
    sentinelRetryStrategy: null,
    failoverDetector: false,
  };
}

/** Redis refuses names with blanks, and the connection shall not have to find out. */
function sendableName(name: string | null | undefined): string | null {
  return typeof name === 'string' && /^[!-~]+$/.test(name) ? name : null;
}

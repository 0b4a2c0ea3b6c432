import { RsError } from '@rs/core';
import type { RedisNode } from '../driver/driver.ts';

/** What is known of a call whose time is up. */
export interface LateCall {
  readonly name: string;
  readonly sentTo: RedisNode | undefined;
  readonly refused: boolean;
  readonly refusals: number;
  readonly lastError: RsError | undefined;
}

/**
 * Why a call was given up at its deadline: `RS_REDIS_UNAVAILABLE` when there was no server that it could have been sent to all the time,
 * else `RS_REDIS_TIMEOUT`, which says whether it was answered at all.
 */
export function lateError(call: LateCall, timeout: number): RsError {
  const { lastError, name, sentTo } = call;
  const away = sentTo === undefined && lastError?.code === 'RS_REDIS_UNAVAILABLE';
  return new RsError(
    away ? 'RS_REDIS_UNAVAILABLE' : 'RS_REDIS_TIMEOUT',
    `${name} ${whyLate(call, timeout)}`,
    {
      ...(lastError === undefined ? {} : { cause: lastError }),
      details: { name, timeout, sent: sentTo !== undefined },
    },
  );
}

function whyLate({ sentTo, refused, refusals, lastError }: LateCall, timeout: number): string {
  if (sentTo === undefined) {
    if (lastError === undefined) return `got no reply within ${timeout} ms, it was never sent`;
    // Where nobody serves a slot, all addresses are right.
    const advice =
      lastError.code === 'RS_REDIS_UNAVAILABLE' && lastError.details.slot === undefined
        ? '; see that Redis runs there, and check address, port, TLS and firewall'
        : '';
    return `could not be sent within ${timeout} ms: ${lastError.message}${advice}`;
  }
  const where = `${sentTo.host}:${sentTo.port}`;
  if (refused)
    return `was refused by ${where} for ${timeout} ms, ${times(refusals)}; the last time: ${lastError?.message ?? ''}`;
  const before = lastError === undefined ? '' : `; before that: ${lastError.message}`;
  return `got no reply within ${timeout} ms, it was sent to ${where}${before}`;
}

function times(count: number): string {
  return count === 1 ? 'once' : `${count} times`;
}

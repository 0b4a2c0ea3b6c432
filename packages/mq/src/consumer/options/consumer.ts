import { RsError, checkName, checkObject, positiveDurationToMillis } from '@rs/core';
import { checkKnown } from '../../checks/known-options.ts';
import type { ConsumerOptions } from '../consumer.ts';

export const CONSUMER_DEFAULTS = {
  lease: '15s',
  rebalanceInterval: '3s',
  pollTimeout: '5s',
  closeTimeout: '10s',
} as const;

/** {@link ConsumerOptions}, checked and complete. Times are in milliseconds. */
export interface ConsumerSettings {
  readonly group: string;
  readonly name: string;
  readonly lease: number;
  readonly rebalanceInterval: number;
  readonly pollTimeout: number;
}

const KNOWN = ['group', 'name', 'lease', 'rebalanceInterval', 'pollTimeout'];
/** Below it, ordinary pauses of a process would cost it its partitions. */
const MIN_LEASE = 500;

/**
 * @param host name for a consumer without one
 * @throws RsError `RS_INVALID_NAME`, `RS_INVALID_ARGUMENT`, `RS_INVALID_DURATION`
 */
export function consumerSettings(options: ConsumerOptions, host: string): ConsumerSettings {
  checkObject(options, 'consumer: options');
  checkKnown(options, KNOWN, 'consumer');
  const lease = positiveDurationToMillis(options.lease ?? CONSUMER_DEFAULTS.lease, 'consumer: lease');
  if (lease < MIN_LEASE) {
    throw new RsError(
      'RS_INVALID_ARGUMENT',
      `consumer: lease must be at least ${MIN_LEASE} ms, got ${lease} ms`,
      {
        details: { what: 'consumer: lease', received: options.lease },
      },
    );
  }
  const rebalance = positiveDurationToMillis(
    options.rebalanceInterval ?? CONSUMER_DEFAULTS.rebalanceInterval,
    'consumer: rebalanceInterval',
  );
  return {
    group: checkName(options.group, 'a group'),
    name: checkName(options.name ?? host, 'the name of a consumer'),
    lease,
    // Members are known to be alive by their meetings.
    rebalanceInterval: Math.min(rebalance, Math.floor(lease / 3)),
    pollTimeout: positiveDurationToMillis(
      options.pollTimeout ?? CONSUMER_DEFAULTS.pollTimeout,
      'consumer: pollTimeout',
    ),
  };
}

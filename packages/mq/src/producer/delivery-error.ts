import { RsError, isRsError } from '@rs/core';
import type { Receipt } from './new-message.ts';

/** Where a batch was going. */
export interface Place {
  readonly topic: string;
  readonly partition: number;
}

/**
 * What is known of messages that were not confirmed. `unknown`: they are in the topic or not; sending them again may double
 * them. `notWritten`: they are not, and will not be.
 */
export type Fate = 'unknown' | 'notWritten';

export interface Failure {
  readonly place: Place;
  readonly messages: number;
  readonly fate: Fate;
  readonly cause: unknown;
}

/** The error for a batch that Redis refused. */
export function refusedBatch({ place, messages, fate, cause }: Failure): RsError {
  const code = isRsError(cause) ? cause.code : 'RS_REDIS_REPLY';
  const end = fate === 'notWritten' ? 'not written' : 'not confirmed';
  return new RsError(code, `${said(place, messages)} ${end}: ${reasonOf(cause)}${told(fate)}`, {
    cause,
    details: { ...place, messages, fate },
    ...(isRsError(cause) ? { retriable: cause.retriable } : {}),
  });
}

/** The error for a batch that was not confirmed in time. */
export function expiredBatch({ place, messages, fate, cause }: Failure, timeout: number): RsError {
  const why = cause === undefined ? 'the batches before it took all the time' : reasonOf(cause);
  return new RsError(
    'RS_REDIS_TIMEOUT',
    `${said(place, messages)} not confirmed within the deliveryTimeout of ${timeout} ms: ${why}${told(fate)}`,
    { cause, details: { ...place, messages, fate } },
  );
}

/** The error for a batch that waited or was under way when the time of `close` was over. */
export function closedBatch({ place, messages, fate }: Omit<Failure, 'cause'>): RsError {
  return new RsError(
    'RS_CLOSED',
    `${said(place, messages)} not confirmed before the producer was closed${told(fate)}`,
    {
      details: { ...place, messages, fate },
    },
  );
}

/** The error for what came to, or still waited in, a closed producer. */
export function closedProducer(where: string): RsError {
  return new RsError('RS_CLOSED', `${where}: the producer is closed`, { details: { fate: 'notWritten' } });
}

/** The error for a batch that Redis takes for an old one. */
export function staleBatch(place: Place, messages: number, sequence: number, last: number): RsError {
  return new RsError(
    'RS_PRODUCER_SEQUENCE',
    `${said(place, messages)} not confirmed: Redis has sequence ${last} of this producer already, and they begin with ${sequence}. ` +
      'Another process sends with the same producer id; ids must be random',
    // Before the other one sent, a batch whose reply was lost may have been written.
    { details: { ...place, messages, sequence, last, fate: 'unknown' } },
  );
}

/** The error of a `sendBatch` of which some messages were not confirmed. */
export function partialFailure(
  topic: string,
  receipts: readonly (Receipt | undefined)[],
  failures: readonly { readonly index: number; readonly error: unknown }[],
): RsError {
  const first = failures[0]?.error;
  const inOrder = [...failures].sort((a, b) => a.index - b.index);
  const failed = inOrder.map(({ index }) => index);
  return new RsError(
    isRsError(first) ? first.code : 'RS_CLOSED',
    `${failed.length} of ${receipts.length} messages sent to topic '${topic}' were not confirmed, the first of them: ${reasonOf(first)}`,
    {
      cause: first,
      details: { topic, receipts, failed, errors: inOrder.map(({ error }) => error) },
      retriable: failures.every(({ error }) => isRsError(error) && error.retriable),
    },
  );
}

function said({ topic, partition }: Place, messages: number): string {
  const what = messages === 1 ? 'a message' : `${messages} messages`;
  return `${what} to topic '${topic}', partition ${partition}: ${messages === 1 ? 'it was' : 'they were'}`;
}

function told(fate: Fate): string {
  return fate === 'unknown' ? '; what was under way may have been written or not' : '';
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

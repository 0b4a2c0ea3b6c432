import { type ErrorCode, isRsError, RsError } from '@rs/core';

/**
 * What to do about something that went wrong while a task worked.
 *
 * - `lost`: the task is somebody else's, or may be; whoever owns it goes on from what is committed.
 * - `redis`: Redis gave no answer or none that helps now; the same again may succeed.
 * - `fatal`: trying again, or leaving out the record, would help nobody: the next one fails alike.
 * - `permanent`: this record will never succeed.
 * - `record`: user code failed for this record; another attempt may succeed.
 */
export type FailureKind = 'lost' | 'redis' | 'fatal' | 'permanent' | 'record';

const LOST: readonly ErrorCode[] = ['RS_COMMIT_REJECTED', 'RS_LEASE_LOST', 'RS_CLOSED'];

/** The job or its state is wrong, not the record. */
const FATAL: readonly ErrorCode[] = [
  'RS_NOT_COLOCATED',
  'RS_STATE_UNDECLARED',
  'RS_STATE_NOT_LOADED',
  'RS_GENERATOR_REUSED',
  'RS_BROADCAST_READ_ONLY',
  'RS_TIMER_UNHEARD',
  'RS_PATTERN_MISMATCH',
];

const PERMANENT: readonly ErrorCode[] = [
  'RS_INVALID_KEY',
  'RS_INVALID_TIMESTAMP',
  'RS_INVALID_VALUE',
  'RS_RECORD_TOO_LARGE',
  'RS_PATTERN_LIMIT',
  'RS_PATTERN_SKIP_MISSED',
];

/** @param byUserCode false when the engine's own call of Redis has failed */
export function failureKind(error: unknown, byUserCode: boolean): FailureKind {
  if (!isRsError(error)) return byUserCode ? 'record' : 'fatal';
  const { code } = error;
  if (!byUserCode) {
    if (LOST.includes(code)) return 'lost';
    return code.startsWith('RS_REDIS_') && error.retriable ? 'redis' : 'fatal';
  }
  if (FATAL.includes(code)) return 'fatal';
  return PERMANENT.includes(code) ? 'permanent' : 'record';
}

/** An error as one of ours, for those who are told how a task ended. */
export function asRsError(error: unknown, what: string): RsError {
  if (error instanceof RsError) return error;
  const reason = error instanceof Error ? error.message : String(error);
  return new RsError('RS_TASK_FAILED', `${what}: ${reason}`, { cause: error });
}

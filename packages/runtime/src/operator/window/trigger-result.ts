import { RsError } from '@rs/core';
import { assertSync } from '../sync-only.ts';

/** The error for what a trigger returned instead of a result. */
export function noTriggerResult(result: unknown, operator: string): RsError {
  assertSync(`${operator}: its trigger`, result);
  return new RsError(
    'RS_INVALID_VALUE',
    `${operator}: its trigger returned ${String(result)}; return 'CONTINUE', 'FIRE', 'FIRE_AND_PURGE' or 'PURGE'`,
    { details: { operator } },
  );
}

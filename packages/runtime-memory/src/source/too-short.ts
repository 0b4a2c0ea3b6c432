import { RsError } from '@rs/core';

/** The error for a source that ends before the position at which a run begins, so that it is not what was read before. */
export function tooShort(name: string, position: number, records: number): RsError {
  return new RsError(
    'RS_CHECKPOINT_MISMATCH',
    `${name} has ${records} records, but ${position} of them were processed before the checkpoint; give it the same records ` +
      'in the same order as then, or start without the checkpoint',
    { details: { operator: name, position, records } },
  );
}

import { RsError } from '../errors/rs-error.ts';

/**
 * The partition of a key, in `0 … partitions − 1`: Java's `String.hashCode()` of the key over its UTF-16 code units,
 * modulo `partitions`, made non-negative. `''` belongs to partition 0.
 *
 * Producers, exchanges and state place keys by this one rule. It never changes: another rule would look for the keys of
 * a stored topic in the wrong partitions.
 *
 * @throws RsError `RS_INVALID_ARGUMENT` when `partitions` is no integer ≥ 1
 */
export function partitionOf(key: string, partitions: number): number {
  if (!Number.isSafeInteger(partitions) || partitions < 1) {
    throw new RsError(
      'RS_INVALID_ARGUMENT',
      `the number of partitions must be an integer ≥ 1, got ${String(partitions)}`,
      { details: { received: partitions } },
    );
  }
  let hash = 0;
  for (let at = 0; at < key.length; at++) hash = (Math.imul(31, hash) + key.charCodeAt(at)) | 0;
  // `+ 0` turns the −0 of a negative multiple into 0.
  const remainder = (hash % partitions) + 0;
  return remainder < 0 ? remainder + partitions : remainder;
}

import { RsError } from '@rs/core';
import { slotOf } from './slot-of.ts';

/**
 * The slot that all keys share; undefined without keys. A cluster refuses what touches several slots, but only after the
 * call has travelled, and without saying which keys they were.
 *
 * @throws RsError `RS_REDIS_CROSS_SLOT` naming the first two keys that part, with their slots
 */
export function checkSameSlot(keys: readonly string[], what: string): number | undefined {
  const [first] = keys;
  if (first === undefined) return undefined;
  const slot = slotOf(first);
  const tag = tagOf(first);
  for (const key of keys) {
    // Keys of one partition share their tag, so that most need no checksum.
    if (key === first || (tag !== undefined && key.startsWith(tag))) continue;
    const other = slotOf(key);
    if (other === slot) continue;
    throw new RsError(
      'RS_REDIS_CROSS_SLOT',
      `${what}: the keys ${JSON.stringify(first)} (slot ${slot}) and ${JSON.stringify(key)} (slot ${other}) lie in ` +
        'different slots of the cluster; give the keys of one call the same hash tag: {tag}',
      { details: { what, keys: [first, key], slots: [slot, other] } },
    );
  }
  return slot;
}

/** The beginning of a key up to the end of its hash tag: whatever begins like this has the same slot. */
function tagOf(key: string): string | undefined {
  const open = key.indexOf('{');
  if (open < 0) return undefined;
  const close = key.indexOf('}', open + 1);
  return close > open + 1 ? key.slice(0, close + 1) : undefined;
}

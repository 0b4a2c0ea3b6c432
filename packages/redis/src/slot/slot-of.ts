import { crc16 } from './crc16.ts';

/** How many hash slots a Redis Cluster has. */
export const SLOT_COUNT = 16_384;

const OPEN = 0x7b;
const CLOSE = 0x7d;

/**
 * The hash slot of a key: the checksum of its hash tag, the text between the first `{` and the first `}` after it. Without
 * such a pair, or with nothing in it, the whole key is hashed.
 *
 * @see https://redis.io/docs/latest/operate/oss_and_stack/reference/cluster-spec/#hash-tags
 */
export function slotOf(key: string | Uint8Array): number {
  const bytes = typeof key === 'string' ? Buffer.from(key) : key;
  const open = bytes.indexOf(OPEN);
  if (open >= 0) {
    const close = bytes.indexOf(CLOSE, open + 1);
    if (close > open + 1) return crc16(bytes, open + 1, close) % SLOT_COUNT;
  }
  return crc16(bytes) % SLOT_COUNT;
}

/**
 * On which of `shards` hashes the state of a key lies, by FNV-1a with the finalizer of MurmurHash3.
 *
 * It must have nothing in common with what chooses the partition of a key: the keys of one partition all have the same remainder of
 * that hash, and would share a few of the shards. Fixed for ever, since it says where stored state is found.
 *
 * @param key canonical text of a key
 */
export function shardOf(key: string, shards: number): number {
  if (shards === 1) return 0;
  let hash = 0x811c9dc5;
  for (let at = 0; at < key.length; at++) hash = Math.imul(hash ^ key.charCodeAt(at), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return ((hash ^ (hash >>> 16)) >>> 0) % shards;
}

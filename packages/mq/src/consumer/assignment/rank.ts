/**
 * A number that orders the members of a group differently for each salt, and the same way in every process. Murmur's last step
 * is behind the sum: by FNV-1a alone, ids that differ in their last character would come in the same order for all salts.
 */
export function rankOf(id: string, salt: string): number {
  let hash = 0x811c9dc5;
  const text = `${salt}\0${id}`;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

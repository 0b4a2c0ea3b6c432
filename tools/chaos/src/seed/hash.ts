/** 32 bits of all parts together: FNV-1a over their text, mixed so that neighbours differ everywhere. */
export function hash(...parts: readonly (string | number)[]): number {
  let state = 0x811c9dc5;
  for (const unit of parts.join('\u0000')) {
    state = Math.imul(state ^ (unit.codePointAt(0) ?? 0), 0x01000193);
  }
  state = Math.imul(state ^ (state >>> 16), 0x85ebca6b);
  state = Math.imul(state ^ (state >>> 13), 0xc2b2ae35);
  return (state ^ (state >>> 16)) >>> 0;
}

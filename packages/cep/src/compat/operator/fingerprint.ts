/** 53 bits that stand for a text. Two texts share them by chance, once in 10^15 pairs or so. */
export function fingerprint(text: string): number {
  let low = 0x811c9dc5;
  let high = 0x2545f491;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    low = Math.imul(low ^ unit, 0x01000193);
    high = Math.imul(high ^ unit, 0x5bd1e995);
    high ^= high >>> 15;
  }
  return (high >>> 11) * 2 ** 32 + (low >>> 0);
}

/**
 * The key of an entry without decoding the rest, for the order of keys. `undefined` also where the entry is no envelope: it
 * becomes a dead letter when it is decoded, and holds nobody up until then.
 */
export function keyOfEnvelope(m: Buffer | undefined, k: Buffer | undefined): string | undefined {
  if (m === undefined || k === undefined) return undefined;
  // `1,<codec>,<k or ->,<event time>`
  const second = m.indexOf(COMMA, m.indexOf(COMMA) + 1);
  return m[second + 1] === KEYED ? k.toString() : undefined;
}

const COMMA = 0x2c;
const KEYED = 0x6b;

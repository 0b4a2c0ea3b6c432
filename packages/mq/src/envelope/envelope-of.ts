import type { StoredEnvelope } from './decode-envelope.ts';

/** The envelope in the fields of an entry, names and values in turn as Redis gives them. What is missing is `undefined`. */
export function envelopeOf(fields: readonly (string | Buffer)[]): StoredEnvelope {
  // The order in which producers write them.
  if (fields.length === 8 && is(fields[0], M) && is(fields[2], K) && is(fields[4], H) && is(fields[6], D)) {
    return { m: fields[1], k: fields[3], h: fields[5], d: fields[7] };
  }
  const found: Record<string, string | Buffer> = {};
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const value = fields[at + 1];
    if (value !== undefined) found[String(fields[at])] = value;
  }
  const { m, k, h, d } = found;
  return { m, k, h, d };
}

const [M, K, H, D] = ['m', 'k', 'h', 'd'].map((name) => name.charCodeAt(0)) as [
  number,
  number,
  number,
  number,
];

function is(name: string | Buffer | undefined, code: number): boolean {
  return name?.length === 1 && (typeof name === 'string' ? name.charCodeAt(0) : name[0]) === code;
}

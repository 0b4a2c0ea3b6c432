/** Of a reply with names and values in turn. */
export function factsOf(flat: readonly unknown[]): Map<string, unknown> {
  const facts = new Map<string, unknown>();
  for (let at = 0; at + 1 < flat.length; at += 2) facts.set(String(flat[at]), flat[at + 1]);
  return facts;
}

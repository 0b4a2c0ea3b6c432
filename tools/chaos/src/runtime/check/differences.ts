/** Where a list of results first leaves what it should be, and what it has too many or too few of. */
export interface Difference<T> {
  readonly what: string;
  /** The results that it is about. */
  readonly of: T;
}

/**
 * Holds results against what they should be. What differs in several ways is told once, by the worst: missing, or there too often,
 * before out of order.
 *
 * @param ordered false for results whose order is not promised
 */
export function differences<T extends object>(
  actual: readonly T[],
  expected: readonly T[],
  { ordered }: { readonly ordered: boolean },
): Difference<T>[] {
  const wanted = counted(expected);
  const got = counted(actual);
  const found: Difference<T>[] = [];
  for (const [text, { count, of }] of wanted) {
    const times = got.get(text)?.count ?? 0;
    if (times < count)
      found.push({ what: times === 0 ? `missing: ${text}` : `${times} of ${count}: ${text}`, of });
    else if (times > count) found.push({ what: `${times} times instead of ${count}: ${text}`, of });
  }
  for (const [text, { of }] of got) if (!wanted.has(text)) found.push({ what: `nobody's: ${text}`, of });
  if (found.length > 0 || !ordered) return found;
  const at = actual.findIndex((each, index) => JSON.stringify(each) !== JSON.stringify(expected[index]));
  const [first, second] = [expected[at], actual[at]];
  if (first === undefined || second === undefined) return [];
  const what = `out of order: ${JSON.stringify(second)} in the place of ${JSON.stringify(first)}`;
  return [{ what, of: second }];
}

function counted<T>(results: readonly T[]): Map<string, { count: number; of: T }> {
  const counts = new Map<string, { count: number; of: T }>();
  for (const of of results) {
    const text = JSON.stringify(of);
    const known = counts.get(text);
    if (known === undefined) counts.set(text, { count: 1, of });
    else known.count++;
  }
  return counts;
}

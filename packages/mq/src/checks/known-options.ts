import { RsError } from '@rs/core';

/**
 * Refuses options that nobody reads: a misspelt one would silently have no effect. Those that are `undefined` count as not given.
 *
 * @throws RsError `RS_INVALID_ARGUMENT`, with the nearest known name
 */
export function checkKnown(options: object, known: readonly string[], what: string): void {
  for (const [name, value] of Object.entries(options)) {
    if (value === undefined || known.includes(name)) continue;
    const nearest = nearestName(name, known);
    const advice = nearest === undefined ? `there are ${known.join(', ')}` : `did you mean '${nearest}'?`;
    throw new RsError('RS_INVALID_ARGUMENT', `${what}: there is no option '${name}'; ${advice}`, {
      details: { what, option: name, nearest },
    });
  }
}

/** The known name that takes the fewest changes, when these are few. */
function nearestName(name: string, known: readonly string[]): string | undefined {
  const wanted = name.toLowerCase();
  let nearest: string | undefined;
  let fewest = Math.max(2, Math.floor(name.length / 3)) + 1;
  for (const candidate of known) {
    const changes = distance(wanted, candidate.toLowerCase(), fewest);
    if (changes < fewest) [nearest, fewest] = [candidate, changes];
  }
  return nearest;
}

/** Levenshtein's: how many letters have to be added, removed or replaced. Not computed where it cannot be below the limit. */
function distance(a: string, b: string, limit: number): number {
  if (Math.abs(a.length - b.length) >= limit) return limit;
  let row = Array.from({ length: b.length + 1 }, (_, at) => at);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaced = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? limit;
}

import type { StoredTimer } from '@rs/runtime';
import { decodeTimer, timeEnd, timeOf } from './timer-member.ts';

interface Member {
  readonly time: number;
  readonly bytes: Buffer;
  /** Where its key begins. */
  readonly from: number;
}

/** More than any shard has. */
const ALL = 2 ** 31;

/** How many timers of each shard to read for a page of `limit`: they are spread evenly, but not quite. */
export function countPerShard(limit: number, shards: number): number {
  if (limit === Infinity) return ALL;
  return shards === 1 ? limit : Math.ceil(limit / shards) + Math.ceil(Math.sqrt(limit));
}

/**
 * Puts the beginnings of all shards of a queue into one order.
 *
 * Invariant: nothing that was not read comes before what is returned. A shard that has more than was read of it may have more right after
 * its last one, so what comes after that is left for the next page.
 *
 * @param shards the first members of each, in order
 * @param count how many were asked for of each
 */
export function mergeTimers(
  shards: readonly (readonly Buffer[])[],
  count: number,
): { readonly timers: readonly StoredTimer[]; readonly more: boolean } {
  let bound: Member | undefined;
  let more = false;
  for (const members of shards) {
    const last = members.at(-1);
    if (last === undefined || members.length < count) continue;
    more = true;
    const member = memberOf(last);
    if (bound === undefined || compare(member, bound) < 0) bound = member;
  }
  // Runs that are ordered already, which is what sorting is fastest with.
  const all = shards.flatMap((members) => members.map(memberOf)).sort(compare);
  const timers: StoredTimer[] = [];
  for (const member of all) {
    if (bound !== undefined && compare(member, bound) > 0) break;
    timers.push(decodeTimer(member.bytes));
  }
  return { timers, more };
}

function memberOf(bytes: Buffer): Member {
  return { time: timeOf(bytes), bytes, from: timeEnd(bytes) + 1 };
}

function compare(a: Member, b: Member): number {
  if (a.time !== b.time) return a.time - b.time;
  return a.bytes.compare(b.bytes, b.from, b.bytes.length, a.from, a.bytes.length);
}

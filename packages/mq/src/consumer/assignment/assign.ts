import { type Acceptance, accepts } from './pin.ts';
import { rankOf } from './rank.ts';
import { relieve } from './relieve.ts';
import { Seats } from './seats.ts';

export interface AssignmentMember extends Acceptance {
  /** Unique in the group. */
  readonly id: string;
  /** Partitions it has, or still has. Numbers that the topic has not, or that its pin excludes, are ignored. */
  readonly owned: readonly number[];
}

export interface AssignmentInput {
  /** How many the topic has. */
  readonly partitions: number;
  readonly members: readonly AssignmentMember[];
  /**
   * Decides who gets one more when that is all the same, such as the topic's name: with the same order for all topics the first
   * member would own every topic that has a single partition. Default: none.
   */
  readonly salt?: string;
}

/**
 * Who should own which partitions. Every member computes it from the same list and comes to the same result, in whatever order
 * the list is.
 *
 * - Total: each partition that some member accepts has an owner, unless those members are full. Those that nobody takes are missing
 *   from the result.
 * - Fair: the numbers of partitions differ by one at most, as far as pins and limits allow: no chain of moves makes them more even.
 * - Sticky: a partition stays where it is unless that makes the result less fair. Without pins, no fair result needs fewer moves.
 *   When several members claim a partition, the one with the fewest keeps it.
 * - Stable: computed again from its own result, it is the same.
 */
export function assign({ partitions, members, salt = '' }: AssignmentInput): Map<string, number[]> {
  const ranked = members
    .map((member) => ({ member, rank: rankOf(member.id, salt) }))
    .sort((a, b) => a.rank - b.rank || (a.member.id < b.member.id ? -1 : 1))
    .map(({ member }) => member);
  const seats = new Seats(partitions, ranked);
  const claims = claimsOf(partitions, ranked);
  // Disputed ones last: who should have them depends on what everybody has without them.
  claims.forEach((claimants, partition) => {
    if (claimants.length === 1) seats.give(partition, claimants);
  });
  claims.forEach((claimants, partition) => {
    if (claimants.length > 1) seats.give(partition, claimants);
  });
  seats.settleHomes();
  for (let partition = 0; partition < partitions; partition++) {
    if (!seats.isTaken(partition)) seats.give(partition, seats.accepting(partition));
  }
  relieve(seats);
  return seats.result();
}

/** For each partition the seats of those who say that they have it. */
function claimsOf(partitions: number, ranked: readonly AssignmentMember[]): number[][] {
  const claims = Array.from({ length: partitions }, (): number[] => []);
  ranked.forEach((member, seat) => {
    for (const partition of new Set(member.owned)) {
      if (accepts(member, partition)) claims[partition]?.push(seat);
    }
  });
  return claims;
}

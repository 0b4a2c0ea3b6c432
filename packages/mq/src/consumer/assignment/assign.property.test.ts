import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { type AssignmentMember, assign } from './assign.ts';
import { type Pin, accepts } from './pin.ts';

const MAX_PARTITIONS = 24;

const ids = fc.uniqueArray(fc.stringMatching(/^[a-f]{1,3}$/), { minLength: 1, maxLength: 7 });
const pins = fc.option(
  fc
    .integer({ min: 1, max: 4 })
    .chain((modulo) => fc.record({ modulo: fc.constant(modulo), remainder: fc.nat({ max: modulo - 1 }) })),
  { nil: undefined },
);
const partitionCounts = fc.nat({ max: MAX_PARTITIONS });
const salts = fc.constantFrom('', 'orders', 'payments');

/** Members who may claim anything, also the same, and what there is not. */
function membersWith(pin: fc.Arbitrary<Pin | undefined>): fc.Arbitrary<AssignmentMember[]> {
  const owned = fc.array(fc.integer({ min: -1, max: MAX_PARTITIONS + 1 }), { maxLength: MAX_PARTITIONS });
  // Few have a partition that they cannot take at the moment.
  const unable = fc.oneof(
    { weight: 4, arbitrary: fc.constant<number[]>([]) },
    fc.array(fc.nat({ max: MAX_PARTITIONS }), { maxLength: 3 }),
  );
  return ids.chain((all) =>
    fc.tuple(...all.map((id) => fc.record({ id: fc.constant(id), owned, pin, unable }))),
  );
}

/** Members of whom no two claim the same. */
const undisputed = fc.tuple(ids, partitionCounts).chain(([all, partitions]) =>
  fc.record({
    partitions: fc.constant(partitions),
    members: fc
      .array(fc.option(fc.nat({ max: all.length - 1 })), { minLength: partitions, maxLength: partitions })
      .map((owners) =>
        all.map((id, seat) => ({ id, owned: owners.flatMap((owner, at) => (owner === seat ? [at] : [])) })),
      ),
  }),
);

function owning(
  members: readonly AssignmentMember[],
  result: ReadonlyMap<string, number[]>,
): AssignmentMember[] {
  return members.map((member) => ({ ...member, owned: result.get(member.id) ?? [] }));
}

/** Partitions that a member had and has no more. */
function moves(members: readonly AssignmentMember[], result: ReadonlyMap<string, number[]>): number {
  return members.reduce(
    (sum, { id, owned }) => sum + owned.filter((partition) => !result.get(id)?.includes(partition)).length,
    0,
  );
}

/** Whoever has more than the even share must give that up; as many as the share leaves over may keep one more. */
function fewestMoves(partitions: number, members: readonly AssignmentMember[]): number {
  const share = Math.floor(partitions / members.length);
  const above = members.map(({ owned }) => Math.max(0, owned.length - share));
  const mayKeepOneMore = Math.min(partitions % members.length, above.filter((count) => count > 0).length);
  return above.reduce((sum, count) => sum + count, 0) - mayKeepOneMore;
}

describe('assign', () => {
  test('each partition that somebody accepts has one owner, who accepts it', () => {
    fc.assert(
      fc.property(partitionCounts, membersWith(pins), salts, (partitions, members, salt) => {
        const result = assign({ partitions, members, salt });
        expect([...result.keys()]).toEqual(members.map(({ id }) => id).sort());
        const owned = [...result.values()].flat().sort((a, b) => a - b);
        const wanted = Array.from({ length: partitions }, (_, partition) => partition).filter((partition) =>
          members.some((member) => accepts(member, partition)),
        );
        expect(owned).toEqual(wanted);
        for (const member of members) {
          expect(result.get(member.id)?.every((partition) => accepts(member, partition))).toBe(true);
        }
      }),
      { numRuns: 500, seed: 1 },
    );
  });

  test('members who take anything differ by one at most', () => {
    fc.assert(
      fc.property(partitionCounts, membersWith(pins), salts, (partitions, members, salt) => {
        const result = assign({ partitions, members, salt });
        const free = members.flatMap(({ id, pin, unable = [] }) =>
          pin === undefined && unable.length === 0 ? [result.get(id)?.length ?? 0] : [],
        );
        if (free.length > 0) expect(Math.max(...free) - Math.min(...free)).toBeLessThanOrEqual(1);
      }),
      { numRuns: 500, seed: 2 },
    );
  });

  test('with pins no other assignment is more even', () => {
    // Loads are as even as they can be when the sum of their squares is the least.
    const squares = (loads: Iterable<number>) => [...loads].reduce((sum, load) => sum + load ** 2, 0);
    const least = (partitions: number, members: readonly AssignmentMember[]) => {
      const search = (partition: number, loads: number[]): number => {
        if (partition === partitions) return squares(loads);
        const options = members.flatMap((member, seat) => (accepts(member, partition) ? [seat] : []));
        if (options.length === 0) return search(partition + 1, loads);
        return Math.min(
          ...options.map((seat) => search(partition + 1, loads.with(seat, (loads[seat] ?? 0) + 1))),
        );
      };
      return search(
        0,
        members.map(() => 0),
      );
    };
    fc.assert(
      fc.property(fc.nat({ max: 6 }), membersWith(pins), (partitions, all) => {
        const members = all.slice(0, 4);
        const result = assign({ partitions, members });
        expect(squares([...result.values()].map(({ length }) => length))).toBe(least(partitions, members));
      }),
      { numRuns: 200, seed: 3 },
    );
  });

  test('nobody has more than it takes, and only what nobody has room for is left', () => {
    const limited = fc
      .tuple(ids, fc.array(fc.nat({ max: 6 }), { minLength: 7, maxLength: 7 }))
      .map(([all, most]) =>
        all.map((id, seat): AssignmentMember => ({ id, owned: [seat, seat + 1], max: most[seat] ?? 1 })),
      );
    fc.assert(
      fc.property(partitionCounts, limited, salts, (partitions, members, salt) => {
        const result = assign({ partitions, members, salt });
        for (const { id, max = 0 } of members) expect(result.get(id)?.length).toBeLessThanOrEqual(max);
        const room = members.reduce((sum, { max = 0 }) => sum + max, 0);
        expect([...result.values()].flat()).toHaveLength(Math.min(partitions, room));
        expect(assign({ partitions, members: owning(members, result), salt })).toEqual(result);
        // Whoever has room has as many as anybody else, or one less.
        const loads = [...result.values()].map(({ length }) => length);
        for (const { id, max = 0 } of members) {
          const load = result.get(id)?.length ?? 0;
          if (load < max) expect(load).toBeGreaterThanOrEqual(Math.max(...loads) - 1);
        }
      }),
      { numRuns: 500, seed: 7 },
    );
  });

  test('no fair assignment needs fewer moves', () => {
    fc.assert(
      fc.property(undisputed, salts, ({ partitions, members }, salt) => {
        expect(moves(members, assign({ partitions, members, salt }))).toBe(fewestMoves(partitions, members));
      }),
      { numRuns: 1_000, seed: 4 },
    );
  });

  test('through joins and leaves: a join moves the new share, a leave moves nothing of others', () => {
    const change = fc.record({ id: fc.stringMatching(/^[a-f]{1,2}$/), leave: fc.boolean() });
    fc.assert(
      fc.property(
        partitionCounts,
        fc.array(change, { maxLength: 20 }),
        salts,
        (partitions, changes, salt) => {
          let members: AssignmentMember[] = [];
          for (const { id, leave } of changes) {
            const others = members.filter((member) => member.id !== id);
            members = leave ? others : [...others, { id, owned: [] }];
            if (members.length === 0) continue;
            const result = assign({ partitions, members, salt });
            const moved = moves(members, result);
            if (leave) expect(moved).toBe(0);
            else expect(moved).toBeLessThanOrEqual(Math.ceil(partitions / members.length));
            members = owning(members, result);
          }
        },
      ),
      { numRuns: 500, seed: 5 },
    );
  });

  test('the order of members and of what they own does not matter', () => {
    const shuffled = membersWith(pins).chain((members) =>
      fc.record({
        members: fc.constant(members),
        other: fc
          .shuffledSubarray(members, { minLength: members.length })
          .map((all) => all.map((member) => ({ ...member, owned: member.owned.toReversed() }))),
      }),
    );
    fc.assert(
      fc.property(partitionCounts, shuffled, salts, (partitions, { members, other }, salt) => {
        const [one, two] = [members, other].map((all) => [...assign({ partitions, members: all, salt })]);
        expect(two).toEqual(one);
      }),
      { numRuns: 500, seed: 6 },
    );
  });

  test('computed again from its own result, it is the same', () => {
    fc.assert(
      fc.property(partitionCounts, membersWith(pins), salts, (partitions, members, salt) => {
        const result = assign({ partitions, members, salt });
        expect(assign({ partitions, members: owning(members, result), salt })).toEqual(result);
      }),
      { numRuns: 500, seed: 7 },
    );
  });
});

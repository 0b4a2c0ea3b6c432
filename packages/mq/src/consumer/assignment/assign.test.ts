import { describe, expect, test } from '@jest/globals';
import { type AssignmentMember, assign } from './assign.ts';

function member(id: string, owned: number[] = [], pin?: AssignmentMember['pin']): AssignmentMember {
  return { id, owned, pin };
}

describe('assign', () => {
  test('one member gets everything', () => {
    expect(assign({ partitions: 3, members: [member('a')] })).toEqual(new Map([['a', [0, 1, 2]]]));
  });

  test('nobody gets nothing', () => {
    expect(assign({ partitions: 3, members: [] })).toEqual(new Map());
  });

  test('more members than partitions: each member is in the result, some with nothing', () => {
    const result = assign({ partitions: 2, members: ['a', 'b', 'c', 'd'].map((id) => member(id)) });
    expect([...result.keys()]).toEqual(['a', 'b', 'c', 'd']);
    expect([...result.values()].map((all) => all.length).sort()).toEqual([0, 0, 1, 1]);
    expect([...result.values()].flat().sort()).toEqual([0, 1]);
  });

  test('a new member gets its part, and only that moves', () => {
    const before = [member('a', [0, 1, 2]), member('b', [3, 4, 5])];
    expect(assign({ partitions: 6, members: [...before, member('c')] })).toEqual(
      new Map([
        ['a', [0, 1]],
        ['b', [3, 4]],
        ['c', [2, 5]],
      ]),
    );
  });

  test('what a member leaves is shared; the others keep what they have', () => {
    const result = assign({ partitions: 6, members: [member('a', [0, 1]), member('c', [2, 5])] });
    expect(result.get('a')).toEqual(expect.arrayContaining([0, 1]));
    expect(result.get('c')).toEqual(expect.arrayContaining([2, 5]));
    expect([...result.values()].map(({ length }) => length)).toEqual([3, 3]);
  });

  test('an uneven split stays where it is', () => {
    const members = [member('a', [0]), member('b', [1, 2])];
    expect(assign({ partitions: 3, members })).toEqual(
      new Map([
        ['a', [0]],
        ['b', [1, 2]],
      ]),
    );
  });

  test('of two who claim a partition, the one with fewer keeps it, so that nothing else moves', () => {
    const members = [member('a', [0, 1, 2]), member('b', [2, 3])];
    const expected = new Map([
      ['a', [0, 1]],
      ['b', [2, 3]],
    ]);
    expect(assign({ partitions: 4, members })).toEqual(expected);
    expect(assign({ partitions: 4, members: members.toReversed() })).toEqual(expected);
  });

  test('partitions that the topic has not, and ones said twice, do not count', () => {
    const members = [member('a', [0, 0, 7, -1, 0.5]), member('b')];
    expect(assign({ partitions: 2, members })).toEqual(
      new Map([
        ['a', [0]],
        ['b', [1]],
      ]),
    );
  });

  test('the salt spreads topics with one partition over the members', () => {
    const members = ['a', 'b', 'c', 'd'].map((id) => member(id));
    const owners = Array.from({ length: 200 }, (_, at) => {
      const result = assign({ partitions: 1, members, salt: `topic-${at}` });
      return [...result].find(([, all]) => all.length === 1)?.[0];
    });
    for (const { id } of members) {
      expect(owners.filter((owner) => owner === id).length).toBeGreaterThan(30);
    }
  });
});

describe('pins', () => {
  test('a fixed split', () => {
    const members = [0, 1, 2].map((remainder) => member(`m${remainder}`, [], { modulo: 3, remainder }));
    expect(assign({ partitions: 7, members })).toEqual(
      new Map([
        ['m0', [0, 3, 6]],
        ['m1', [1, 4]],
        ['m2', [2, 5]],
      ]),
    );
  });

  test('what no pin covers has no owner', () => {
    const members = [member('a', [1], { modulo: 2, remainder: 0 })];
    expect(assign({ partitions: 4, members })).toEqual(new Map([['a', [0, 2]]]));
  });

  test('who takes anything leaves a pinned member its part, and takes the rest', () => {
    const members = [member('any', [0, 1, 2, 3, 4, 5]), member('pinned', [], { modulo: 3, remainder: 0 })];
    expect(assign({ partitions: 6, members })).toEqual(
      new Map([
        ['any', [1, 2, 4, 5]],
        ['pinned', [0, 3]],
      ]),
    );
  });

  test('what has no owner yet goes to another member before what has one', () => {
    const members = [member('any', [8]), member('even', [2, 4], { modulo: 2, remainder: 0 })];
    expect(assign({ partitions: 9, members })).toEqual(
      new Map([
        ['any', [1, 3, 5, 7, 8]],
        ['even', [0, 2, 4, 6]],
      ]),
    );
  });

  test('what a member cannot take itself comes to it by way of another', () => {
    // Nobody has two more than one who could take one of them; but a can give to b, and b to c.
    const members = [
      member('a', [1, 3, 5, 7], { modulo: 2, remainder: 1 }),
      member('b', [0, 2, 4]),
      member('c', [6, 8], { modulo: 2, remainder: 0 }),
    ];
    expect(assign({ partitions: 9, members })).toEqual(
      new Map([
        ['a', [1, 3, 5]],
        ['b', [0, 2, 7]],
        ['c', [4, 6, 8]],
      ]),
    );
  });
});

describe('limits', () => {
  test('who is full leaves the rest to the others', () => {
    const members = [{ ...member('a', []), max: 1 }, member('b', [])];
    const result = assign({ partitions: 6, members });
    expect([result.get('a')?.length, result.get('b')?.length]).toEqual([1, 5]);
  });

  test('what nobody has room for has no owner, and what is owned stays where it is', () => {
    const members = [
      { ...member('a', [4, 5]), max: 2 },
      { ...member('b', [0]), max: 1 },
    ];
    expect(assign({ partitions: 6, members })).toEqual(
      new Map([
        ['a', [4, 5]],
        ['b', [0]],
      ]),
    );
  });

  test('who has more than it takes gives up the rest', () => {
    const members = [{ ...member('a', [0, 1, 2, 3]), max: 2 }, member('b', [])];
    expect(assign({ partitions: 4, members })).toEqual(
      new Map([
        ['a', [0, 1]],
        ['b', [2, 3]],
      ]),
    );
  });
});

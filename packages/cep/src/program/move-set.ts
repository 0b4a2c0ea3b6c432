import type { Move } from './positions.ts';

/**
 * The ways in which runs can go on. Equal ones are one object: they are made by adding moves, one after the other, to the empty one of
 * their pattern, in the order of stages.
 */
export class MoveSet {
  /** Its number among all of the pattern. */
  readonly index: number;
  readonly moves: readonly Move[];
  /** Whether the next event decides about one of them, whatever it is. */
  readonly unsettled: boolean;
  /** Whether one of them is the end that comes when the time is over. */
  readonly atDeadline: boolean;
  /** Where it is not unsettled: an event for which none of these conditions holds changes nothing. */
  readonly conditions: readonly number[];
  readonly #longer = new Map<Move, MoveSet>();
  readonly #counter: { sets: number };

  private constructor(moves: readonly Move[], counter: { sets: number }) {
    this.index = counter.sets++;
    this.#counter = counter;
    this.moves = moves;
    this.unsettled = moves.some(({ contiguity, notNext }) => contiguity === 'strict' || notNext.length > 0);
    this.atDeadline = moves.some((move) => move.atDeadline);
    this.conditions = [...new Set(moves.flatMap(conditionsOf))];
  }

  /** One without moves, for a pattern to add to. */
  static empty(): MoveSet {
    return new MoveSet([], { sets: 0 });
  }

  plus(move: Move): MoveSet {
    const known = this.#longer.get(move);
    if (known !== undefined) return known;
    const longer = new MoveSet([...this.moves, move], this.#counter);
    this.#longer.set(move, longer);
    return longer;
  }

  plusAll(moves: readonly Move[]): MoveSet {
    return moves.reduce<MoveSet>((set, move) => set.plus(move), this);
  }
}

function conditionsOf({ target, notFollowedBy, leaves, until }: Move): number[] {
  return [
    ...(target === undefined ? [] : [target.condition]),
    ...notFollowedBy,
    ...leaves.map((stage) => stage.condition),
    ...(until >= 0 ? [until] : []),
  ];
}

import type { Move } from './positions.ts';

/** Up to so many moves, what is left of a set is known by a number with a bit for each. */
const MASK_BITS = 30;
/**
 * Sets of a pattern that are remembered. With more, all are forgotten, and equal ones may be several objects: that costs time, and nothing
 * else.
 */
const REMEMBERED = 1_000;

/** What the sets of one pattern share. */
interface Memory {
  remembered: number;
  /** Counts how often all were forgotten. */
  generation: number;
}

/**
 * The ways in which runs can go on. Runs with the same object can be looked at together; equal ones are mostly one object, since they come from
 * the same position in the same way.
 */
export class MoveSet {
  readonly moves: readonly Move[];
  /** Whether the next event decides about one of them, whatever it is. */
  readonly unsettled: boolean;
  /** Whether one of them is the end that comes when the time is over. */
  readonly atDeadline: boolean;
  /** Where it is not unsettled: an event for which none of these conditions holds changes nothing. */
  readonly conditions: readonly number[];
  readonly #rests = new Map<number, MoveSet>();
  readonly #merged = new Map<MoveSet, MoveSet>();
  readonly #memory: Memory;
  #generation: number;
  readonly #changes: boolean;

  private constructor(moves: readonly Move[], memory: Memory) {
    this.moves = moves;
    this.#memory = memory;
    this.#generation = memory.generation;
    this.unsettled = moves.some(({ contiguity, notNext }) => contiguity === 'strict' || notNext.length > 0);
    this.atDeadline = moves.some((move) => move.atDeadline);
    this.conditions = [...new Set(moves.flatMap(conditionsOf))];
    this.#changes = moves.some(({ settled }) => settled !== undefined);
  }

  /** Makes the sets of one pattern, of moves in the order of stages, the end last. */
  static maker(): (moves: readonly Move[]) => MoveSet {
    const memory: Memory = { remembered: 0, generation: 0 };
    return (moves) => new MoveSet(moves, memory);
  }

  /**
   * What is left of it behind an event: the moves that are kept, settled.
   *
   * @param kept for each move, whether it is kept
   */
  rest(kept: readonly boolean[]): MoveSet {
    if (!kept.includes(true)) return NO_MOVES;
    if (!this.#changes && !kept.includes(false)) return this;
    if (kept.length > MASK_BITS) return this.#restOf(kept);
    let mask = 0;
    for (let i = 0; i < kept.length; i++) if (kept[i] === true) mask |= 1 << i;
    return this.#remembered(this.#rests, mask, () => this.#restOf(kept));
  }

  /** The moves of all. */
  with(others: readonly MoveSet[]): MoveSet {
    const [other] = others;
    if (other === undefined) return this;
    return others.length > 1
      ? this.#union(others)
      : this.#remembered(this.#merged, other, () => this.#union(others));
  }

  #union(others: readonly MoveSet[]): MoveSet {
    const all = [...new Set([this, ...others].flatMap(({ moves }) => moves))];
    const rank = ({ target }: Move): number => target?.index ?? Infinity;
    const sorted = all.sort((a, b) => (rank(a) === rank(b) ? 0 : rank(a) - rank(b)));
    return new MoveSet(sorted, this.#memory);
  }

  #restOf(kept: readonly boolean[]): MoveSet {
    const moves = this.moves.filter((_, i) => kept[i] === true).map((move) => move.settled ?? move);
    return moves.length === 0 ? NO_MOVES : new MoveSet(moves, this.#memory);
  }

  #remembered<K>(known: Map<K, MoveSet>, key: K, make: () => MoveSet): MoveSet {
    const memory = this.#memory;
    if (this.#generation !== memory.generation) this.#forget();
    const found = known.get(key);
    if (found !== undefined) return found;
    const made = make();
    if (++memory.remembered > REMEMBERED) {
      memory.remembered = 1;
      memory.generation++;
      this.#forget();
    }
    known.set(key, made);
    return made;
  }

  #forget(): void {
    this.#rests.clear();
    this.#merged.clear();
    this.#generation = this.#memory.generation;
  }
}

/** Those of runs that cannot go on. */
export const NO_MOVES = MoveSet.maker()([]);

function conditionsOf({ target, notFollowedBy, leaves, until }: Move): number[] {
  return [
    ...(target === undefined ? [] : [target.condition]),
    ...notFollowedBy,
    ...leaves.map((stage) => stage.condition),
    ...(until >= 0 ? [until] : []),
  ];
}

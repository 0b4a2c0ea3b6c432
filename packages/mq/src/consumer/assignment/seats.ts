import { type Acceptance, accepts } from './pin.ts';

interface Member extends Acceptance {
  readonly id: string;
}

const NOBODY = -1;

/** Who has which partitions while an assignment is being made. A seat is a member's place in the order that settles ties. */
export class Seats {
  readonly #members: readonly Member[];
  readonly #partitions: number[][];
  readonly #ownerOf: Int32Array;
  #homeOf: Int32Array;

  constructor(partitions: number, members: readonly Member[]) {
    this.#members = members;
    this.#partitions = members.map(() => []);
    this.#ownerOf = new Int32Array(partitions).fill(NOBODY);
    this.#homeOf = this.#ownerOf;
  }

  get count(): number {
    return this.#members.length;
  }

  load(seat: number): number {
    return this.#partitions[seat]?.length ?? 0;
  }

  isTaken(partition: number): boolean {
    return this.#ownerOf[partition] !== NOBODY;
  }

  /** Whether it takes one more than it has. */
  hasRoom(seat: number): boolean {
    return this.load(seat) < (this.#members[seat]?.max ?? Infinity);
  }

  accepts(seat: number, partition: number): boolean {
    const member = this.#members[seat];
    return member !== undefined && accepts(member, partition);
  }

  accepting(partition: number): number[] {
    return this.#members.flatMap((_, seat) => (this.accepts(seat, partition) ? [seat] : []));
  }

  /** Gives a free partition to the seat that has the fewest; to nobody when there are no candidates, or all are full. */
  give(partition: number, candidates: readonly number[]): void {
    let best = NOBODY;
    for (const seat of candidates) {
      if (this.hasRoom(seat) && (best === NOBODY || this.load(seat) < this.load(best))) best = seat;
    }
    if (best === NOBODY) return;
    this.#ownerOf[partition] = best;
    this.#partitions[best]?.push(partition);
  }

  /** From now on, taking away what a seat has at this moment is a move. */
  settleHomes(): void {
    this.#homeOf = this.#ownerOf.slice();
  }

  move(partition: number, to: number): void {
    const from = this.#ownerOf[partition] ?? NOBODY;
    this.#partitions[from] = this.#partitions[from]?.filter((one) => one !== partition) ?? [];
    this.#partitions[to]?.push(partition);
    this.#ownerOf[partition] = to;
  }

  /** What a seat has, in the order in which it is given up: first what has to move anyway. */
  givingUp(seat: number): number[] {
    const atHome = (partition: number) => (this.#homeOf[partition] === seat ? 1 : 0);
    return [...(this.#partitions[seat] ?? [])].sort((a, b) => atHome(a) - atHome(b) || b - a);
  }

  result(): Map<string, number[]> {
    const all = this.#members.map(({ id }, seat): [string, number[]] => [
      id,
      [...(this.#partitions[seat] ?? [])].sort((a, b) => a - b),
    ]);
    return new Map(all.sort(([a], [b]) => (a < b ? -1 : 1)));
  }
}

import type { Seats } from './seats.ts';

/** A step of a chain: `from` hands over `partition`. */
interface Step {
  readonly from: number;
  readonly partition: number;
}

/**
 * Moves partitions, one chain at a time, until none makes the loads more even. With pins a direct move may be impossible where a
 * chain is not: A cannot take from C, but from B, and B from C. No chain left means that the assignment is the most even there
 * is (Harvey et al., Semi-matchings for bipartite graphs and load balancing, 2003).
 */
export function relieve(seats: Seats): void {
  while (relieveOne(seats));
}

function relieveOne(seats: Seats): boolean {
  const all = Array.from({ length: seats.count }, (_, seat) => seat);
  const least = Math.min(...all.map((seat) => seats.load(seat)));
  const heavy = all.filter((seat) => seats.load(seat) >= least + 2);
  heavy.sort((a, b) => seats.load(b) - seats.load(a) || a - b);
  return heavy.some((seat) => moveAlong(seats, seat));
}

/** Looks for the shortest chain from a seat to one that has two less, and moves what lies on it. */
function moveAlong(seats: Seats, start: number): boolean {
  const reached = new Map<number, Step | undefined>([[start, undefined]]);
  for (let level = [start]; level.length > 0;) {
    const next = level.flatMap((seat) => takersOf(seats, seat, reached));
    const lighter = next.filter((seat) => seats.load(seat) <= seats.load(start) - 2 && seats.hasRoom(seat));
    if (lighter.length > 0) {
      hand(seats, lightest(seats, lighter), reached);
      return true;
    }
    level = next;
  }
  return false;
}

/** Seats, not reached before, that can take something from this one. */
function takersOf(seats: Seats, from: number, reached: Map<number, Step | undefined>): number[] {
  const takers: number[] = [];
  for (const partition of seats.givingUp(from)) {
    if (reached.size === seats.count) break;
    for (let seat = 0; seat < seats.count; seat++) {
      if (reached.has(seat) || !seats.accepts(seat, partition)) continue;
      reached.set(seat, { from, partition });
      takers.push(seat);
    }
  }
  return takers;
}

function lightest(seats: Seats, candidates: readonly number[]): number {
  return candidates.reduce((best, seat) => {
    const less = seats.load(seat) - seats.load(best);
    return less < 0 || (less === 0 && seat < best) ? seat : best;
  });
}

function hand(seats: Seats, end: number, reached: ReadonlyMap<number, Step | undefined>): void {
  let to = end;
  for (let step = reached.get(to); step !== undefined; step = reached.get(to)) {
    seats.move(step.partition, to);
    to = step.from;
  }
}

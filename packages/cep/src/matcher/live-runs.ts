import type { MoveSet } from '../program/move-set.ts';
import type { Run } from './run.ts';
import { RunQueue } from './run-queue.ts';
import { truncate } from './truncate.ts';

/** With more buckets, they are found by a map: a search through few is faster, and most matchers never have more. */
const FEW = 8;
/** Empty buckets that are kept for the next moves. */
const SPARE = 2;

/** Live runs that can go on in the same ways: what one event does to all of them is often nothing, and seen at once. */
export class Bucket {
  /** Of an empty one, those of before. */
  moves: MoveSet;
  live = 0;
  /** Its place among those that have runs. */
  at = -1;
  /** In the order in which they came; some may be gone. */
  readonly #runs: Run[] = [];

  constructor(moves: MoveSet) {
    this.moves = moves;
  }

  add(run: Run): void {
    run.bucket = this;
    this.#runs.push(run);
    this.live++;
  }

  /** A run of it is in another bucket, or gone. */
  left(): void {
    this.live--;
    const runs = this.#runs;
    while (runs.length > 0 && runs[runs.length - 1]?.bucket !== this) runs.pop();
    if (runs.length > 2 * this.live + 8) this.runs();
  }

  runs(): readonly Run[] {
    const runs = this.#runs;
    if (runs.length === this.live) return runs;
    let count = 0;
    for (const run of runs) if (run.bucket === this) runs[count++] = run;
    truncate(runs, count);
    return runs;
  }
}

export interface LiveRunsOptions {
  /** Whether the runs that began first must be found. */
  readonly byFirst: boolean;
  /** Whether those that have taken nothing for longest must be found. */
  readonly byLast: boolean;
}

/** The runs that can go on, in buckets by how. */
export class LiveRuns {
  size = 0;
  /** By first event; `undefined` where it was not asked for. */
  readonly byFirst: RunQueue | undefined;
  /** By last event; `undefined` where it was not asked for. */
  readonly byLast: RunQueue | undefined;
  readonly #spare: Bucket[] = [];
  /** All listed ones, while there are many. */
  #byMoves: Map<MoveSet, Bucket> | undefined;
  readonly #listed: Bucket[] = [];

  constructor({ byFirst, byLast }: LiveRunsOptions) {
    this.byFirst = byFirst ? new RunQueue((run) => run.first) : undefined;
    this.byLast = byLast ? new RunQueue((run) => run.event) : undefined;
  }

  /** Those that have runs. */
  buckets(): readonly Bucket[] {
    return this.#listed;
  }

  all(): Run[] {
    return this.buckets().flatMap((bucket) => [...bucket.runs()]);
  }

  /** A run whose first event is that of another live one, or later than those of all. */
  add(run: Run): void {
    this.#place(run);
    this.byFirst?.add(run);
    this.byLast?.add(run);
  }

  /** Adds any to none. */
  fill(runs: readonly Run[]): void {
    for (const run of runs) this.#place(run);
    this.byFirst?.fill(runs);
    this.byLast?.fill(runs);
  }

  /** The run can go on in other ways now. */
  moved(run: Run): void {
    const before = run.bucket;
    this.#enter(run);
    if (before !== undefined) this.#leave(before);
  }

  /** The run cannot go on any more. */
  remove(run: Run): void {
    const { bucket } = run;
    if (bucket === undefined) return;
    this.size--;
    run.bucket = undefined;
    this.#leave(bucket);
    this.byFirst?.remove(run);
    this.byLast?.remove(run);
  }

  #place(run: Run): void {
    this.size++;
    this.#enter(run);
  }

  #enter(run: Run): void {
    const bucket = this.#find(run.moves) ?? this.#list(run.moves);
    bucket.add(run);
  }

  #find(moves: MoveSet): Bucket | undefined {
    if (this.#byMoves !== undefined) return this.#byMoves.get(moves);
    for (const bucket of this.#listed) if (bucket.moves === moves) return bucket;
    return undefined;
  }

  #list(moves: MoveSet): Bucket {
    const bucket = this.#spare.pop() ?? new Bucket(moves);
    bucket.moves = moves;
    bucket.at = this.#listed.push(bucket) - 1;
    if (this.#byMoves !== undefined) this.#byMoves.set(moves, bucket);
    else if (this.#listed.length > FEW) this.#byMoves = new Map(this.#listed.map((one) => [one.moves, one]));
    return bucket;
  }

  /** A run is in another one, or gone. */
  #leave(bucket: Bucket): void {
    bucket.left();
    if (bucket.live > 0) return;
    this.#byMoves?.delete(bucket.moves);
    // The last one takes its place.
    const last = this.#listed.pop();
    if (last !== undefined && last !== bucket) {
      this.#listed[bucket.at] = last;
      last.at = bucket.at;
    }
    if (this.#listed.length === 0) this.#byMoves = undefined;
    if (this.#spare.length < SPARE) this.#spare.push(bucket);
  }
}

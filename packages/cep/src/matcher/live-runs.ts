import type { MoveSet } from '../program/move-set.ts';
import type { Run } from './run.ts';
import { RunQueue } from './run-queue.ts';
import { truncate } from './truncate.ts';

/** Buckets that are looked at with each event, with runs or without, before those without are left out. */
const FEW = 8;

/** Live runs that can go on in the same ways: what one event does to all of them is often nothing, and seen at once. */
export class Bucket {
  readonly moves: MoveSet;
  live = 0;
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
  readonly #buckets = new Map<MoveSet, Bucket>();
  readonly #listed: Bucket[] = [];

  constructor({ byFirst, byLast }: LiveRunsOptions) {
    this.byFirst = byFirst ? new RunQueue((run) => run.first) : undefined;
    this.byLast = byLast ? new RunQueue((run) => run.event) : undefined;
  }

  /** All buckets that have runs, and few that have none. */
  buckets(): readonly Bucket[] {
    const listed = this.#listed;
    if (listed.length <= FEW) return listed;
    let count = 0;
    for (const bucket of listed) {
      if (bucket.live > 0) listed[count++] = bucket;
      else this.#buckets.delete(bucket.moves);
    }
    truncate(listed, count);
    return listed;
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
    this.#bucketOf(run.moves).add(run);
    before?.left();
  }

  /** The run cannot go on any more. */
  remove(run: Run): void {
    const { bucket } = run;
    if (bucket === undefined) return;
    this.size--;
    run.bucket = undefined;
    bucket.left();
    this.byFirst?.remove(run);
    this.byLast?.remove(run);
  }

  #place(run: Run): void {
    this.size++;
    this.#bucketOf(run.moves).add(run);
  }

  #bucketOf(moves: MoveSet): Bucket {
    const known = this.#buckets.get(moves);
    if (known !== undefined) return known;
    const bucket = new Bucket(moves);
    this.#buckets.set(moves, bucket);
    this.#listed.push(bucket);
    return bucket;
  }
}

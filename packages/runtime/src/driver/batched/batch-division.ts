import type { Barrier } from './barrier.ts';
import type { BatchLog } from './batch-log.ts';
import { comesOf, comparePlaces, type Place, rootIndex } from './order.ts';
import type { Facts } from './plan-state.ts';
import { NO_PROGRESS, type Progress, progressIn } from './progress.ts';
import type { TimePasses } from './time-passes.ts';

/** How far a batch is done when a part of it is committed. */
export interface Cut {
  /** Items that are done. */
  readonly items: number;
  /** What is left undone. */
  readonly progress: Progress;
  /** Says what is done. */
  readonly done: (place: Place) => boolean;
}

/** What a commit is about: a part of a batch, or all of it, with the number of items that it settles. */
export type Extent =
  Cut | { readonly items: number; readonly progress?: undefined; readonly done?: undefined };

/** Commits a part of a batch. */
export type CommitPart = (cut: Cut) => Promise<void>;

/** Where a batch stands that is committed in parts, and how it goes on after a crash or a failure between two of them. */
export class BatchDivision {
  readonly #barriers: readonly Barrier[];
  readonly #log: BatchLog;
  readonly #passes: TimePasses;
  #progress = NO_PROGRESS;

  constructor(barriers: readonly Barrier[], log: BatchLog, passes: TimePasses) {
    this.#barriers = barriers;
    this.#log = log;
    this.#passes = passes;
  }

  /** What earlier commits have left undone. */
  get progress(): Progress {
    return this.#progress;
  }

  /** @param facts those of the last commit */
  resume(facts: Facts): void {
    this.#progress = progressIn(facts);
  }

  /** All operators know how far time has come. */
  wentOn(): void {
    this.#progress = { ...this.#progress, due: false };
  }

  /** What is left undone after a commit. */
  after({ items, progress }: Extent): Progress {
    if (progress !== undefined) return progress;
    return items > 0 ? { ...NO_PROGRESS, due: this.#progress.due } : this.#progress;
  }

  /** The batch is over. */
  committed(extent: Extent): void {
    this.#progress = this.after(extent);
  }

  /**
   * Lets what waits at the barriers through, in parts where it fires more timers than may fire in one commit.
   *
   * @param fed true when it is items of the input
   */
  async drain(commit: CommitPart, fed: boolean): Promise<void> {
    let records: readonly Place[] = [];
    await this.#passes.drain({
      begin: () => {
        records = this.#records();
      },
      commit: (at) => {
        const item = Math.max(0, rootIndex(at));
        const before = records.filter((place) => rootIndex(place) === item && comparePlaces(place, at) < 0);
        const progress = {
          records: before.length + (item === 0 ? this.#progress.records : 0),
          due: true,
          repeats: fed || this.#progress.repeats,
        };
        const done = (place: Place) => comparePlaces(place, at) <= 0 || comesOf(place, at);
        return commit({ items: fed ? item : 0, progress, done });
      },
    });
  }

  /** Of the first item some records are done already, and what came before them. */
  forgetDone(): void {
    const { records: count } = this.#progress;
    if (count === 0) return;
    const records = this.#records().filter((place) => rootIndex(place) === 0);
    const last = records.sort(comparePlaces)[count - 1];
    const isDone = (place: Place) =>
      rootIndex(place) === 0 && (last === undefined || comparePlaces(place, last) <= 0);
    for (const barrier of this.#barriers) barrier.clear(isDone);
    this.#log.clear(isDone);
  }

  /** The places of the records that items have become, before the first barriers. */
  #records(): readonly Place[] {
    const waiting = this.#barriers.flatMap((barrier) => barrier.waiting());
    const records = waiting.flatMap(({ place, item }) => (item.type === 'record' ? [place] : []));
    return [...records, ...this.#log.records()];
  }
}

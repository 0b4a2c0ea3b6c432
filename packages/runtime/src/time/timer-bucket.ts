import { compareEntries, type Entry } from './timer-entry.ts';

/** The timers of one time. Sorted, last first, only once they are due. */
export class TimerBucket {
  readonly entries = new Map<string, Entry>();
  #due: Entry[] | undefined;

  add(entry: Entry): void {
    this.entries.set(entry.id, entry);
    if (this.#due === undefined) return;
    const at = this.#due.findLastIndex((other) => compareEntries(other, entry) > 0);
    this.#due.splice(at + 1, 0, entry);
  }

  /** The first in order. */
  first(): Entry | undefined {
    this.#due ??= [...this.entries.values()].sort((a, b) => compareEntries(b, a));
    for (let entry = this.#due.at(-1); entry !== undefined; entry = this.#due.at(-1)) {
      // Deleted timers stay in the sorted list; one that was added again stands in it twice.
      if (this.entries.get(entry.id) === entry) return entry;
      this.#due.pop();
    }
    return undefined;
  }

  /** Removes and returns the first in order. */
  takeFirst(): Entry | undefined {
    const entry = this.first();
    if (entry === undefined) return undefined;
    this.#due?.pop();
    this.entries.delete(entry.id);
    return entry;
  }

  sorted(): Entry[] {
    return [...this.entries.values()].sort(compareEntries);
  }
}

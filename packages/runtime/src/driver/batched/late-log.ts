import type { LateRecord } from '../../operator/task.ts';

/** The records since the last commit that were late. */
export class LateLog {
  readonly #keep: () => boolean;
  readonly #counts = new Map<string, number>();
  #records: LateRecord[] = [];

  /** @param keep whether somebody wants the records themselves, not only how many there were */
  constructor(keep: () => boolean) {
    this.#keep = keep;
  }

  note(record: LateRecord): void {
    this.#counts.set(record.operator, (this.#counts.get(record.operator) ?? 0) + 1);
    if (this.#keep()) this.#records.push(record);
  }

  /** What the next commit says of them. */
  get facts(): {
    readonly late: Readonly<Record<string, number>>;
    readonly lateRecords?: readonly LateRecord[];
  } {
    const late = Object.fromEntries(this.#counts);
    return this.#records.length === 0 ? { late } : { late, lateRecords: this.#records };
  }

  clear(): void {
    this.#counts.clear();
    // A commit on its way has the list.
    this.#records = [];
  }
}

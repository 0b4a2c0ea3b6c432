import type { LateRecord } from '@rs/runtime';
import type { JobMetrics } from './options.ts';

/** Counts of one run, or of all runs of an environment. */
export class MetricsCounter {
  readonly #late = new Map<string, number>();

  countLate({ operator }: LateRecord): void {
    this.#late.set(operator, (this.#late.get(operator) ?? 0) + 1);
  }

  snapshot(): JobMetrics {
    let lateRecords = 0;
    for (const count of this.#late.values()) lateRecords += count;
    return { lateRecords, lateRecordsByOperator: Object.fromEntries(this.#late) };
  }
}

import { BatchedDriver } from '../driver/batched/batched-driver.ts';
import type { CommitBatch } from '../driver/batched/backend.ts';
import type { BatchedOptions } from '../driver/batched/batched-options.ts';
import { CommitLogBackend } from '../testing/commit-log-backend.ts';
import type { HarnessJob } from '../testing/job-harness.ts';
import { FakeClock } from './fake-clock.ts';
import { TASK_OPTIONS, taskOf } from './one-task.ts';

/** The only task of a job, on a driver, with what it has committed. */
export class DriverRun {
  readonly backend = new CommitLogBackend();
  readonly clock = new FakeClock();
  /** Throws for what the backend does not admit. */
  admit: (batch: CommitBatch) => void = () => undefined;
  /** Batches that were processed, whether they were admitted or not. */
  processed = 0;

  open(job: HarnessJob, options: Partial<BatchedOptions> = {}): Promise<BatchedDriver> {
    const backend = {
      ...this.backend.acquire(),
      admit: (batch: CommitBatch) => {
        this.processed++;
        this.admit(batch);
      },
    };
    return BatchedDriver.open(taskOf(job), backend, { ...TASK_OPTIONS, clock: this.clock, ...options });
  }

  get values(): unknown[] {
    return this.backend.outputs().map(({ value }) => value);
  }

  /** Items that each commit has settled. */
  get sizes(): number[] {
    const offsets = this.backend.commits().map(({ offset }) => offset);
    return offsets.map((offset, index) => offset - (offsets[index - 1] ?? 0));
  }
}

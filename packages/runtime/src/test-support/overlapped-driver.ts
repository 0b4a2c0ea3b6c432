import { BatchedDriver } from '../driver/batched/batched-driver.ts';
import type { BatchedOptions } from '../driver/batched/batched-options.ts';
import type { InputItem } from '../driver/batched/input-item.ts';
import { CommitLogBackend } from '../testing/commit-log-backend.ts';
import type { HarnessJob } from '../testing/job-harness.ts';
import type { Event } from './job-catalogue.ts';
import { type CommitFate, lateBackend } from './late-backend.ts';
import { TASK_OPTIONS, taskOf } from './one-task.ts';

/** Sums amounts by key; a negative amount fails. */
export const sums: HarnessJob = (env) => {
  env
    .input<Event>()
    .keyBy(({ key }) => key)
    .map((event) => {
      if (event.amount < 0) throw new Error('negative');
      return event;
    })
    .sum(({ amount }) => amount)
    .addSink(() => undefined);
};

export const record = (amount: number, key = 'k'): InputItem => ({
  type: 'record',
  input: 0,
  value: { key, time: 0, amount } satisfies Event,
  timestamp: 0,
});

/** A driver whose commits arrive, and are answered, when the test says so. */
export class Overlapped {
  readonly backend = new CommitLogBackend();
  readonly fates: CommitFate[] = [];
  /** Numbers of the commits that were handed over. */
  readonly handedOver: number[] = [];
  /** Keys of the cells that were read. */
  readonly reads: string[] = [];

  async open(job: HarnessJob, options: Partial<BatchedOptions> = {}): Promise<BatchedDriver> {
    const owner = this.backend.acquire();
    const late = lateBackend(owner, ({ seq }) => {
      this.handedOver.push(seq);
      return this.fates.shift() ?? {};
    });
    return BatchedDriver.open(
      taskOf(job),
      {
        ...late,
        read: (addresses) => {
          this.reads.push(...addresses.map(({ key, namespace }) => key + namespace));
          return owner.read(addresses);
        },
      },
      { ...TASK_OPTIONS, overlap: true, ...options },
    );
  }

  get values(): unknown[] {
    return this.backend.outputs().map(({ value }) => value);
  }
}

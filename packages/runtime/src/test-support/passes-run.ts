import type { CommitBatch, StateBackend } from '../driver/batched/backend.ts';
import { BatchedDriver } from '../driver/batched/batched-driver.ts';
import type { BatchedOptions } from '../driver/batched/batched-options.ts';
import type { InputItem } from '../driver/batched/input-item.ts';
import { CommitLogBackend } from '../testing/commit-log-backend.ts';
import type { HarnessJob } from '../testing/job-harness.ts';
import { FakeClock } from './fake-clock.ts';
import type { Event } from './job-catalogue.ts';
import { TASK_OPTIONS, taskOf } from './one-task.ts';
import { event, ignore, strict } from './simulated-jobs.ts';

export const record = (key: string, time: number, amount = 1): InputItem => ({
  type: 'record',
  input: 0,
  value: event(key, time, amount),
  timestamp: time,
});
export const end: InputItem = { type: 'end', input: 0 };
export const KEYS = ['a', 'b', 'c', 'd', 'e', 'f', 'g'];

/** Each record sets as many timers as its amount, the first at `time + 10`. */
export const reminders =
  (strategy = strict): HarnessJob =>
  (env) => {
    env
      .input<Event>()
      .assignTimestampsAndWatermarks(strategy)
      .keyBy(({ key }) => key)
      .process<string>({
        processElement: (key, { time, amount }, ctx, out) => {
          for (let i = 0; i < amount; i++) ctx.registerEventTimeTimer(time + 10 + i);
          out.collect(`${key} ${time}`);
        },
        onEventTime: (time, key, _ctx, out) => out.collect(`${key} @${time}`),
      })
      .addSink(ignore);
  };

/** One task and its commits. */
export class PassesRun {
  readonly backend = new CommitLogBackend();
  readonly clock = new FakeClock();
  /** How many timers were asked for, and of how many queues. */
  readonly reads: { readonly limit: number; readonly queues: number }[] = [];
  /** Dies with the commits of these numbers, once they are applied. */
  readonly dying = new Set<number>();
  admit: ((batch: CommitBatch) => void) | undefined;

  async open(job: HarnessJob, options: Partial<BatchedOptions> = {}): Promise<BatchedDriver> {
    const owner = this.backend.acquire();
    const backend: StateBackend = {
      ...owner,
      timers: (queues, limit) => {
        this.reads.push({ limit, queues: queues.length });
        return owner.timers(queues, limit);
      },
      commit: async (batch) => {
        const reply = await owner.commit(batch);
        if (this.dying.delete(batch.seq)) throw new Error('died');
        return reply;
      },
      ...(this.admit !== undefined && { admit: this.admit }),
    };
    return BatchedDriver.open(taskOf(job), backend, { ...TASK_OPTIONS, clock: this.clock, ...options });
  }

  get values(): unknown[] {
    return this.backend.outputs().map(({ value }) => value);
  }

  /** Of each commit from a number on: its offset, and how many timers have fired in it. */
  parts(from: number): readonly (readonly [offset: number, fired: number])[] {
    return this.backend
      .commits()
      .filter(({ seq }) => seq >= from)
      .map(({ offset, timers }) => [offset, timers.filter(({ op }) => op === 'remove').length]);
  }
}

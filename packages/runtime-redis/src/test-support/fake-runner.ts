import type { RsError } from '@rs/core';
import type { MakeTaskRunner } from '../job/make-task-runner.ts';
import type { TaskPlace } from '../keys/task-place.ts';
import type { TaskEnd, TaskRunner, TaskStatus } from '../task/runner.ts';
import type { SimulatedProcess } from './simulated-job.ts';

/** A runner that does nothing but hold its lease. */
export class FakeRunner implements TaskRunner {
  readonly place: TaskPlace;
  readonly token: string;
  deadline: number;
  state: TaskStatus['state'] = 'running';
  /** The last thing that it was told. */
  readonly told: string[] = [];
  readonly #process: SimulatedProcess;
  #end: (end: TaskEnd) => void = () => undefined;
  readonly #ended: Promise<TaskEnd>;

  constructor(process: SimulatedProcess, options: Parameters<MakeTaskRunner>[0]) {
    this.#process = process;
    this.place = options.place;
    this.token = options.lease.token;
    this.deadline = options.deadline;
    if (options.paused) this.told.push('paused');
    this.#ended = new Promise((resolve) => {
      this.#end = resolve;
    });
  }

  /** Whether it still works, and may for all that it knows. */
  get working(): boolean {
    return this.state === 'running' && this.#process.timers.monotonic() < this.deadline;
  }

  run(): Promise<TaskEnd> {
    return this.#ended;
  }

  renewed(deadline: number): void {
    this.deadline = Math.max(this.deadline, deadline);
  }

  lose(error: RsError): void {
    this.told.push('lost');
    this.#finish({ type: 'lost', error });
  }

  stop({ drain }: { readonly drain: boolean }): void {
    this.told.push(drain ? 'drain' : 'stop');
    if (this.state !== 'running') return;
    this.#process.timers.after(this.#process.stopTakes, () => void this.#release({ type: 'released' }));
  }

  pause(): void {
    this.told.push('pause');
  }

  resume(): void {
    this.told.push('resume');
  }

  /** Its input has ended. */
  finish(): void {
    void this.#release({ type: 'finished' });
  }

  fail(error: RsError): void {
    void this.#release({ type: 'failed', error });
  }

  status(): TaskStatus {
    const { task, topic, partition } = this.place;
    return {
      ...{ task, topic, partition, state: this.state, epoch: 1, offset: '0-0', lag: 0, inFlight: 0 },
      ...{
        watermark: -Infinity,
        watermarks: {},
        lateRecords: {},
        deadLetters: 0,
        lostMessages: 0,
        lastLoss: undefined,
        commits: 0,
        undelivered: {},
        unreplicated: undefined,
        failingSinks: {},
        busyFor: 0,
      },
      lastError: undefined,
    };
  }

  async #release(end: TaskEnd): Promise<void> {
    if (this.state !== 'running') return;
    this.state = 'ended';
    await this.#process.leases.release(this).catch(() => undefined);
    this.#end(end);
  }

  #finish(end: TaskEnd): void {
    if (this.state === 'running') this.state = 'ended';
    this.#end(end);
  }
}

import type { RsError } from '@rs/core';
import type { TaskRunnerOptions } from '../job/make-task-runner.ts';
import type { HeldLease } from '../ownership/task-leases.ts';
import type { TaskEnd, TaskRunner, TaskStatus } from '../task/runner.ts';

/** A runner that does what the test says. */
export class Told implements TaskRunner {
  readonly place;
  readonly token;
  deadline: number;
  state: TaskStatus['state'] = 'running';
  inFlight = 3;
  undelivered: Readonly<Record<string, number>> = {};
  readonly told: string[] = [];
  readonly #release: (lease: HeldLease) => Promise<unknown>;
  #end: (end: TaskEnd) => void = () => undefined;
  /** What it does when it is asked to stop. */
  onStop: (drain: boolean) => void;

  constructor(
    { place, lease, deadline }: TaskRunnerOptions,
    release: (lease: HeldLease) => Promise<unknown>,
  ) {
    this.place = place;
    this.token = lease.token;
    this.deadline = deadline;
    this.#release = release;
    this.onStop = (drain) => {
      if (drain) this.inFlight = 0;
      void this.end({ type: 'released' });
    };
  }

  async end(end: TaskEnd): Promise<void> {
    await this.#release(this).catch(() => undefined);
    this.state = 'ended';
    this.#end(end);
  }

  run(): Promise<TaskEnd> {
    return new Promise((resolve) => {
      this.#end = resolve;
    });
  }

  renewed(deadline: number): void {
    this.deadline = deadline;
  }

  lose(error: RsError): void {
    this.#end({ type: 'lost', error });
  }

  stop({ drain }: { readonly drain: boolean }): void {
    this.told.push(drain ? 'drain' : 'stop');
    this.onStop(drain);
  }

  pause(): void {
    this.told.push('pause');
  }

  resume(): void {
    this.told.push('resume');
  }

  status(): TaskStatus {
    const { inFlight, undelivered } = this;
    const { task, topic, partition } = this.place;
    return {
      ...{ task, topic, partition, state: this.state, epoch: 1, offset: '0-0', lag: 0, inFlight },
      ...{ watermark: -Infinity, watermarks: {}, lateRecords: { window: 2 }, deadLetters: 0, commits: 0 },
      ...{ lostMessages: 0, lastLoss: undefined },
      ...{ undelivered, unreplicated: undefined, failingSinks: {}, busyFor: 0, lastError: undefined },
    };
  }
}

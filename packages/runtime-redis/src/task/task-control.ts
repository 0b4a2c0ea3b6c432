import { isRsError, type RsError } from '@rs/core';
import { type Timers, Waiter } from '@rs/mq';

/** What those who do not do the work want of it. */
export class TaskControl {
  readonly #timers: Timers;
  readonly #waiter = new Waiter();
  #stop: { readonly drain: boolean } | undefined;
  #lost: RsError | undefined;
  #failed: RsError | undefined;
  #end: () => void = () => undefined;
  #paused: boolean;
  /** Ends of waits that a request for an end cuts short. */
  readonly #sleepers = new Set<() => void>();
  readonly #patient = new Set<() => void>();

  constructor(timers: Timers, paused: boolean) {
    this.#timers = timers;
    this.#paused = paused;
  }

  /** True while a call of Redis that the task depends on is made again and again. */
  troubled = false;
  /** Fulfilled once nothing more is to be processed. */
  readonly ending: Promise<undefined> = new Promise((resolve) => {
    this.#end = () => resolve(undefined);
  });

  /** Set once the work is to end. */
  get stop(): { readonly drain: boolean } | undefined {
    return this.#stop;
  }

  get lost(): RsError | undefined {
    return this.#lost;
  }

  /** Set once something beside the loop cannot go on. */
  get failed(): RsError | undefined {
    return this.#failed;
  }

  get paused(): boolean {
    return this.#paused && this.#stop === undefined;
  }

  /** A request that drains may be followed by one that does not, never the other way round. */
  requestStop({ drain }: { readonly drain: boolean }): void {
    this.#stop = { drain: drain && this.#stop?.drain !== false };
    if (!this.#stop.drain) {
      this.#wake(this.#sleepers);
      this.#end();
    }
    this.#waiter.notify();
  }

  /** The first reason stands. */
  lose(error: RsError): void {
    this.#lost ??= error;
    this.#end();
    this.#wake(this.#sleepers);
    this.#wake(this.#patient);
  }

  /** Something that works beside the loop cannot go on. When that is since the task is somebody else's, it is lost. */
  fail(error: RsError): void {
    if (isRsError(error, 'RS_LEASE_LOST')) return this.lose(error);
    this.#failed ??= error;
    this.#waiter.notify();
  }

  setPaused(paused: boolean): void {
    this.#paused = paused;
    this.#waiter.notify();
  }

  /** Something has happened that the loop must look at. */
  notify(): void {
    this.#waiter.notify();
  }

  /** Waits for the next thing that happens, for `ms` milliseconds at most. */
  async wait(ms: number): Promise<void> {
    const cancel = ms === Infinity ? undefined : this.#timers.after(ms, () => this.#waiter.notify());
    try {
      await this.#waiter.wait();
    } finally {
      cancel?.();
    }
  }

  /** Waits out a time, unless the work is to end first. Nothing else cuts it short. */
  sleep(ms: number): Promise<void> {
    return this.#stop?.drain === false ? Promise.resolve() : this.#waitOut(ms, this.#sleepers);
  }

  /** Waits out a time, unless the task is lost first: for what has been begun and must be known to have happened. */
  patience(ms: number): Promise<void> {
    return this.#waitOut(ms, this.#patient);
  }

  /** Waits for work, with the {@link patience} of so many milliseconds. It goes on all the same. Never rejected. */
  patienceWith(work: Promise<unknown>, ms: number): Promise<void> {
    return this.#waitOut(ms, this.#patient, work);
  }

  #waitOut(ms: number, sleepers: Set<() => void>, work?: Promise<unknown>): Promise<void> {
    if (this.#lost !== undefined) return Promise.resolve();
    return new Promise((resolve) => {
      const wake = (): void => {
        cancel();
        sleepers.delete(wake);
        resolve();
      };
      const cancel = this.#timers.after(ms, wake);
      sleepers.add(wake);
      work?.then(wake, wake);
    });
  }

  #wake(sleepers: Set<() => void>): void {
    this.#waiter.notify();
    for (const wake of [...sleepers]) wake();
  }
}

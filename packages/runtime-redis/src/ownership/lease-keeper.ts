import { RsError } from '@rs/core';
import type { LeaseTimes, Timers } from '@rs/mq';
import type { RedisClient } from '@rs/redis';
import type { TaskRunner } from '../task/runner.ts';
import { slotTag } from './slot-tag.ts';
import type { TaskLeases } from './task-leases.ts';

export interface LeaseKeeperOptions {
  readonly topology: RedisClient['topology'];
  readonly leases: Pick<TaskLeases, 'renew'>;
  readonly times: LeaseTimes;
  readonly timers: Timers;
  readonly onTrouble: (error: unknown) => void;
}

type Keeping = Pick<TaskRunner, 'place' | 'token' | 'deadline' | 'renewed' | 'lose'>;

/**
 * Renews the leases of all tasks of a process, one call per slot; on a single server one call for all.
 *
 * Invariant: a deadline counts from before the call that renewed it was sent, and Redis keeps the lease for as long from when it
 * ran. A call that fails says nothing about the lease: only the deadline does, or the answer that the token is another one.
 */
export class LeaseKeeper {
  readonly #options: LeaseKeeperOptions;
  readonly #tasks = new Set<Keeping>();
  #cancel: (() => void) | undefined;
  #closed = false;

  constructor(options: LeaseKeeperOptions) {
    this.#options = options;
  }

  add(task: Keeping): void {
    this.#tasks.add(task);
    this.#schedule();
  }

  remove(task: Keeping): void {
    this.#tasks.delete(task);
  }

  close(): void {
    this.#closed = true;
    this.#cancel?.();
  }

  #schedule(): void {
    if (this.#closed || this.#cancel !== undefined || this.#tasks.size === 0) return;
    this.#cancel = this.#options.timers.after(this.#options.times.renewEvery, () => {
      this.#cancel = undefined;
      // The next round does not wait for the answers of this one: a slow server must not make it late.
      void this.#renew();
      this.#schedule();
    });
  }

  async #renew(): Promise<void> {
    this.#loseLate();
    const groups = new Map<string, Keeping[]>();
    for (const task of this.#tasks) {
      const slot = this.#options.topology === 'single' ? '' : slotTag(task.place);
      const group = groups.get(slot);
      if (group === undefined) groups.set(slot, [task]);
      else group.push(task);
    }
    await Promise.all([...groups.values()].map((tasks) => this.#renewAll(tasks)));
  }

  /** Never rejected. */
  async #renewAll(tasks: readonly Keeping[]): Promise<void> {
    const { leases, times, timers, onTrouble } = this.#options;
    const sentAt = timers.monotonic();
    try {
      const answers = await leases.renew(tasks, times.stored, times.ttl);
      tasks.forEach((task, at) => {
        if (!this.#tasks.has(task)) return;
        if (answers[at] === true) task.renewed(sentAt + times.stored);
        else this.#lost(task, 'another owner has it by now');
      });
    } catch (error) {
      if (this.#closed) return;
      onTrouble(error);
    }
    this.#loseLate();
  }

  #loseLate(): void {
    const { times, timers } = this.#options;
    for (const task of this.#tasks) {
      if (timers.monotonic() < task.deadline) continue;
      this.#lost(
        task,
        `it could not be renewed in time; the process, the network or Redis stood still for ${times.ttl} ms`,
      );
    }
  }

  #lost(task: Keeping, why: string): void {
    const { topic, partition, job } = task.place;
    this.#tasks.delete(task);
    task.lose(
      new RsError(
        'RS_LEASE_LOST',
        `job '${job}': the lease of partition ${partition} of topic '${topic}' was lost: ${why}`,
        { details: { job, topic, partition } },
      ),
    );
  }
}

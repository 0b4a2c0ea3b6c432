import type { RsError } from '@rs/core';
import type { Timers } from '@rs/mq';
import type { PreparedCommit } from '../store/prepare-commit.ts';
import type { TaskStore } from '../store/task-store.ts';
import type { BatchSize } from './batch-size.ts';
import { CommitRefusals } from './commit-refusals.ts';
import type { InputQueue } from './input-queue.ts';
import type { TaskStorage } from './task-backend.ts';

export interface TaskStorageOptions {
  readonly store: TaskStore;
  readonly queue: Pick<InputQueue, 'base'>;
  /** Learns how large commits become. */
  readonly size: BatchSize;
  readonly timers: Pick<Timers, 'monotonic'>;
  /** Milliseconds for which a commit extends the lease. */
  readonly lease: number;
  /** The task has the lease for longer. */
  readonly renewed: (deadline: number) => void;
  /** Redis refuses a commit for now. Told once, until one is answered. */
  readonly onRefused: (error: RsError) => void;
}

/** What a task keeps in Redis, as its backend uses it. */
export function taskStorage(options: TaskStorageOptions): TaskStorage<PreparedCommit> {
  const { store, queue, size, timers, lease, renewed } = options;
  const refusals = new CommitRefusals(options.onRefused);
  const onRefused = (error: RsError): void => refusals.refused(error);
  return {
    read: (addresses) => store.read(addresses),
    scan: (address, after, limit) => store.scan(address, after, limit),
    timers: (queues, limit) => store.timers(queues, limit),
    prepare: (commit, records) => {
      const prepared = store.prepare(commit, records);
      size.committed(commit.count - queue.base, prepared);
      return prepared;
    },
    commit: async (prepared) => {
      const sentAt = timers.monotonic();
      const reply = await store.commit(prepared, { onRefused }).catch((error: unknown) => {
        throw refusals.explained(error);
      });
      refusals.answered();
      // The commit has extended the lease in Redis.
      if (reply === 'OK') renewed(sentAt + lease);
      return reply;
    },
  };
}

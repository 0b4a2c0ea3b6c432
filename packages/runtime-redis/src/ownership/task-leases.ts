import type { TaskPlace } from '../keys/task-place.ts';
import type { AcquireReply } from '../store/task-lease.ts';

export interface AcquireTask {
  /** Random, new for each acquisition. */
  readonly token: string;
  readonly owner: string;
  /** Milliseconds until the lease ends unless it is renewed. */
  readonly ttl: number;
  /** Where its input ends: an id, `=` where the task begins, `undefined` for no end. What was fixed before stays. */
  readonly until: string | undefined;
}

export interface HeldLease {
  readonly place: TaskPlace;
  readonly token: string;
}

/** The leases of tasks in Redis. */
export interface TaskLeases {
  /** @throws RsError `RS_GROUP_IN_USE` when a plain consumer works as the group */
  acquire(place: TaskPlace, options: AcquireTask): Promise<AcquireReply>;
  /** False when somebody else holds it by now. */
  release(lease: HeldLease): Promise<boolean>;
  /** For each whether it still holds. All in one slot, on a single server any. */
  renew(leases: readonly HeldLease[], ttl: number, timeout: number): Promise<readonly boolean[]>;
}

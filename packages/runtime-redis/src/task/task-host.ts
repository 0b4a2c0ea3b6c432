import type { RsError } from '@rs/core';
import type { RedisClient } from '@rs/redis';
import type { LateRecord } from '@rs/runtime';
import type { JobOutputs } from '../deliver/job-outputs.ts';
import type { TaskPlace } from '../keys/task-place.ts';
import type { RuntimeSettings } from '../options/settings.ts';
import type { Doorbells } from './doorbells.ts';
import type { GivenUp } from './task-commits.ts';

/** What is told of the work on tasks. */
export interface TaskEvents {
  /** Something besides records did not work (Redis, a sink, a timer); but for a release, it is tried again. `attempts`: in a row. */
  trouble(place: TaskPlace, error: RsError, attempts: number): void;
  /** A record has failed so often in a row, and is tried again. */
  retried(place: TaskPlace, id: string, error: RsError, attempts: number): void;
  /** A record became a dead letter, or a timer, which has no id; it is stored. */
  dead(place: TaskPlace, dead: GivenUp): void;
  /** True while somebody wants to know of each late record. */
  readonly hearsLate: boolean;
  /** Records that were late for all of their windows; the commit that settles them was made. */
  late(records: readonly LateRecord[]): void;
}

/** What the tasks of a process share. */
export interface TaskHost {
  readonly client: RedisClient;
  readonly settings: RuntimeSettings;
  readonly doorbells: Doorbells;
  readonly outputs: JobOutputs;
  readonly events: TaskEvents;
}

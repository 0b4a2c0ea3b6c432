import type { RsError } from '@rs/core';
import type { RedisClient } from '@rs/redis';
import type { JobOutputs } from '../deliver/job-outputs.ts';
import type { TaskPlace } from '../keys/task-place.ts';
import type { RuntimeSettings } from '../options/settings.ts';
import type { Doorbells } from './doorbells.ts';

/** What is told of the work on tasks. */
export interface TaskEvents {
  /** Something has failed and is tried again, or given up. `attempts`: in a row. */
  failed(place: TaskPlace, error: RsError, attempts: number): void;
  /** A record became a dead letter; a timer has no id. */
  dead(place: TaskPlace, id: string | undefined, error: unknown): void;
}

/** What the tasks of a process share. */
export interface TaskHost {
  readonly client: RedisClient;
  readonly settings: RuntimeSettings;
  readonly doorbells: Doorbells;
  readonly outputs: JobOutputs;
  readonly events: TaskEvents;
}

import type { RsError } from '@rs/core';
import type { RedisClient } from '@rs/redis';
import type { LateRecord } from '@rs/runtime';
import type { JobOutputs } from '../deliver/job-outputs.ts';
import type { TaskPlace } from '../keys/task-place.ts';
import type { RuntimeSettings } from '../options/settings.ts';
import type { LostMessages } from '../store/lost-messages.ts';
import type { Doorbells } from './doorbells.ts';
import type { ReadAhead } from './read-ahead.ts';
import type { GivenUp } from './task-commits.ts';
import type { FailureListener } from './task-work-parts.ts';

/** What is told of the work on tasks. */
export interface TaskEvents {
  /** A record, a timer, or a call of Redis or of a sink has failed so often in a row, and is tried again. */
  failed: (place: TaskPlace, ...failure: Parameters<FailureListener>) => void;
  /** Messages were removed from the log before they were read. */
  messagesLost(place: TaskPlace, lost: LostMessages): void;
  /** A lease could not be given back. */
  unreleased(place: TaskPlace, error: RsError): void;
  /** A record became a dead letter, or a timer, which has no id; it is stored. */
  dead(place: TaskPlace, dead: GivenUp): void;
  /** True while somebody wants to know of each late record. */
  readonly hearsLate: boolean;
  /** Records that were late; the commit that settles them was made. */
  late(records: readonly LateRecord[]): void;
}

/** What the tasks of a process share. */
export interface TaskHost {
  readonly client: RedisClient;
  readonly settings: RuntimeSettings;
  readonly doorbells: Doorbells;
  readonly ahead: ReadAhead;
  /** Milliseconds for which this process has been busy so far. */
  readonly busyTime: () => number;
  readonly outputs: JobOutputs;
  readonly events: TaskEvents;
}

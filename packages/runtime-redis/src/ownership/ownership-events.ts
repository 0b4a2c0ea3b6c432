import type { RsError } from '@rs/core';
import type { TaskPlace } from '../keys/task-place.ts';
import type { TaskLease } from '../store/task-lease.ts';

/** Is told what happens to tasks. */
export interface OwnershipEvents {
  acquired(place: TaskPlace, lease: TaskLease): void;
  released(place: TaskPlace): void;
  lost(place: TaskPlace, error: RsError): void;
  finished(place: TaskPlace): void;
  failed(place: TaskPlace, error: RsError): void;
  /** A lease could not be given back; it ends by itself. */
  unreleased(place: TaskPlace, error: unknown): void;
  /** What did not work and is tried again. */
  trouble(place: TaskPlace, what: string, error: unknown): void;
  meetingFailed(error: unknown): void;
}

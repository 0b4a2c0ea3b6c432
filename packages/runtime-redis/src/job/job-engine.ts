import type { RsError } from '@rs/core';
import type { RedisClient } from '@rs/redis';
import type { Topology } from '@rs/runtime';
import type { RuntimeSettings } from '../options/settings.ts';
import type { TaskLeases } from '../ownership/task-leases.ts';
import type { MakeTaskRunner } from './make-task-runner.ts';

export interface JobEngineOptions {
  readonly client: RedisClient;
  readonly settings: RuntimeSettings;
  readonly topology: Topology;
}

/** What works on the tasks of a job, in one process. */
export interface JobEngine {
  readonly leases: TaskLeases;
  readonly makeRunner: MakeTaskRunner;
  /**
   * Looks whether it can do what the job wants, before anything is acquired.
   *
   * @throws RsError `RS_REDIS_CONFIG` where results wait for replicas and there are none; `RS_UNSUPPORTED`, `RS_UNKNOWN_TOPIC`, `RS_INVALID_ARGUMENT`; what the client throws
   */
  check(): Promise<void>;
  /** Why tasks cannot be told of new messages at the moment; `undefined` when they can, or none waits for any. */
  deafness(): unknown;
  /** Why no replica confirms what results wait for; `undefined` when one does, or none waits. */
  unreplicated(): RsError | undefined;
  /** Ends what the tasks share, after the last of them. Never rejected; may take as long as a sink takes to close. */
  close(): Promise<void>;
}

export type MakeJobEngine = (options: JobEngineOptions) => JobEngine;

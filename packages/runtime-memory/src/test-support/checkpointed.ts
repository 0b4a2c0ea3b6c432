import { defineJob, type StreamEnvironment } from '@rs/core';
import {
  type CheckpointingOptions,
  type MemoryCheckpointCoordinator,
  type MemoryEnvironmentOptions,
  StreamExecutionEnvironment,
} from '../index.ts';
import type { Mode } from './run.ts';

export interface Checkpointed {
  readonly env: StreamExecutionEnvironment;
  readonly coordinator: MemoryCheckpointCoordinator;
  /** Declares streams and runs them to the end. */
  readonly run: (define: (env: StreamEnvironment) => void) => Promise<void>;
}

/** An environment that takes checkpoints, for either kind of run. */
export function checkpointed(
  mode: Mode,
  checkpointing: CheckpointingOptions = {},
  options: MemoryEnvironmentOptions = {},
): Checkpointed {
  const env = StreamExecutionEnvironment.getExecutionEnvironment(options).enableCheckpointing(checkpointing);
  const coordinator = env.getCheckpointCoordinator();
  if (coordinator === undefined) throw new Error('checkpointing is not enabled');
  const run = async (define: (env: StreamEnvironment) => void) => {
    if (mode === 'eager') define(env);
    else await env.executeAsync(defineJob(define));
  };
  return { env, coordinator, run };
}

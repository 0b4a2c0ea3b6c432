import { type Checkpoint, RsError } from '@rs/core';
import type { JobSnapshot, StateSnapshot } from './job-snapshot.ts';

/** What a checkpoint is made of. */
export interface CheckpointParts {
  readonly checkpointId: number;
  readonly timestamp: number;
  /** Plain data, by name. `undefined` for a checkpoint that is not completed. */
  readonly parts: ReadonlyMap<string, unknown> | undefined;
}

export function newCheckpoint({ checkpointId, timestamp, parts }: CheckpointParts): Checkpoint {
  return Object.freeze({
    checkpointId,
    timestamp,
    completed: parts !== undefined,
    getState: <T>(name: string) => parts?.get(name) as T | undefined,
    getKeys: () => [...(parts?.keys() ?? [])],
  });
}

const JOB = 'job';
const OPERATORS = 'operators';
const STATE = 'state/';

/** A completed checkpoint. Each state of each partition is a part of its own, so that none needs to be huge. */
export function checkpointOf(checkpointId: number, timestamp: number, snapshot: JobSnapshot): Checkpoint {
  const { operators, states, ...job } = snapshot;
  const parts = new Map<string, unknown>([
    [JOB, job],
    [OPERATORS, operators],
    // Neither ids nor names have a slash.
    ...states.map((one) => [`${STATE}${one.operator}/${one.state}/${one.partition}`, one] as const),
  ]);
  return newCheckpoint({ checkpointId, timestamp, parts });
}

/** What {@link checkpointOf} made it from. @throws RsError `RS_CHECKPOINT_CORRUPT` when a part is missing */
export function snapshotIn(checkpoint: Checkpoint): JobSnapshot {
  const states = checkpoint.getKeys().filter((name) => name.startsWith(STATE));
  return {
    ...partOf<Omit<JobSnapshot, 'operators' | 'states'>>(checkpoint, JOB),
    operators: partOf(checkpoint, OPERATORS),
    states: states.map((name) => partOf<StateSnapshot>(checkpoint, name)),
  };
}

function partOf<T>(checkpoint: Checkpoint, name: string): T {
  const part = checkpoint.getState<T>(name);
  if (part !== undefined) return part;
  const { checkpointId } = checkpoint;
  throw new RsError(
    'RS_CHECKPOINT_CORRUPT',
    `checkpoint ${checkpointId} has no part '${name}'; was it written by this engine? Delete it, to begin from the one before`,
    { details: { checkpointId, part: name } },
  );
}

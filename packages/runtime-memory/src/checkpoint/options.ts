import {
  checkObject,
  type CheckpointStorage,
  type Duration,
  positiveDurationToMillis,
  RsError,
} from '@rs/core';
import { checkChoice, checkMethods, checkPositiveInteger } from '@rs/runtime';

export interface CheckpointingOptions {
  /**
   * Where checkpoints are stored, such as a {@link FileCheckpointStorage}; one serves one job. Runs then need
   * `executeAsync`, one at a time: each stores its end, and begins where the newest checkpoint is. A job that has finished
   * therefore stays finished: started again, it reads nothing, also where there is more by now (as in a topic that was read
   * with `until: 'now'`), and logs a warning. Default: the environment keeps them in memory, so they are gone with
   * it, and runs begin anew unless `restoreFromCheckpoint` says otherwise.
   */
  readonly storage?: CheckpointStorage;
  /**
   * How long after one checkpoint the next is taken, on the environment's clock; in runs of `executeAsync` only. Taking one
   * stops the run for as long as copying its state takes, and before that until all calls of `mapAsync` that are under way,
   * with their retries, are done: no source is read meanwhile, and a call without a timeout can hold it up for ever. One that
   * is due while another is on its way is left out.
   * Default: none is taken but those that are asked for.
   */
  readonly interval?: Duration;
  /** How many completed checkpoints are kept; older ones are removed. Default 3. */
  readonly keep?: number;
  /** `false`: with a storage too, runs begin anew unless `restoreFromCheckpoint` says otherwise. Default `true`. */
  readonly restoreFromLatest?: boolean;
}

export const CHECKPOINTING_DEFAULTS = {
  keep: 3,
  restoreFromLatest: true,
} as const satisfies CheckpointingOptions;

/** The options, checked, with defaults. */
export interface CheckpointingSettings {
  readonly storage: CheckpointStorage | undefined;
  /** Milliseconds. */
  readonly interval: number | undefined;
  readonly keep: number;
  readonly restoreFromLatest: boolean;
}

const WHERE = 'enableCheckpointing';

/** @throws RsError `RS_INVALID_ARGUMENT`, `RS_INVALID_DURATION` */
export function checkpointingSettings(options: CheckpointingOptions): CheckpointingSettings {
  checkObject(options, `${WHERE}: its argument`);
  const { storage, interval, keep, restoreFromLatest } = { ...CHECKPOINTING_DEFAULTS, ...options };
  if (storage !== undefined) {
    const methods = ['storeCheckpoint', 'loadCheckpoint', 'getLatestCheckpoint', 'listCheckpoints'];
    const removing = ['deleteCheckpoint', 'cleanupOldCheckpoints'];
    checkMethods(storage, [...methods, ...removing], WHERE, 'a CheckpointStorage as its storage');
  }
  checkPositiveInteger(keep, `${WHERE}: keep`);
  checkChoice(restoreFromLatest, [true, false], `${WHERE}: restoreFromLatest`);
  return {
    storage,
    interval: interval === undefined ? undefined : positiveDurationToMillis(interval, `${WHERE}: interval`),
    keep,
    restoreFromLatest,
  };
}

/** @throws RsError `RS_INVALID_ARGUMENT` when the options are not those of the first call */
export function assertSameSettings(first: CheckpointingSettings, again: CheckpointingSettings): void {
  const names = Object.keys(first) as (keyof CheckpointingSettings)[];
  const different = names.filter((name) => first[name] !== again[name]);
  if (different.length === 0) return;
  throw new RsError(
    'RS_INVALID_ARGUMENT',
    `${WHERE}: it is enabled already, with another ${different.join(' and ')}; enable it once, or use a new environment`,
    { details: { operation: WHERE, options: different } },
  );
}

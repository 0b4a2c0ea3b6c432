import type { Windowing } from '../windowing.ts';

/** What the process of the job is told, as JSON in the environment variable {@link SETTINGS_VARIABLE}. */
export interface JobSettings {
  readonly redisUrl: string;
  /** What all keys begin with. */
  readonly prefix: string;
  readonly windowing: Windowing;
  /** Milliseconds. */
  readonly outOfOrderness: number;
  readonly alerts: boolean;
}

export const SETTINGS_VARIABLE = 'FLIGHTS_JOB';

/** What the process of the job says, as messages to the one that started it. */
export type JobReport =
  /** Id of the last flight that is committed, by partition; and the partitions that have ended. */
  | { readonly type: 'progress'; readonly offsets: readonly Offset[]; readonly ended: readonly number[] }
  | { readonly type: 'finished' }
  | { readonly type: 'failed'; readonly message: string };

export interface Offset {
  readonly partition: number;
  readonly id: string;
}

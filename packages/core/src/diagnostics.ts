/**
 * Names of the `diagnostics_channel` channels that engines publish to, in one place so that adapters and
 * dashboards can rely on them. Core itself publishes nothing.
 */
export const DIAGNOSTICS_CHANNELS = {
  /** `{ job, operators }` when a run starts. */
  jobStarted: 'rs:job:started',
  /** `{ job, status, metrics }` when a run ended without an error. */
  jobFinished: 'rs:job:finished',
  /** `{ job, error }` when a run ended with an error. */
  jobFailed: 'rs:job:failed',
  /** `{ operator, key, value, timestamp, watermark }` for each record that every one of its windows has closed on. */
  recordLate: 'rs:record:late',
} as const;

export type DiagnosticsChannelName = (typeof DIAGNOSTICS_CHANNELS)[keyof typeof DIAGNOSTICS_CHANNELS];

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
  /**
   * `{ operator, key, value, timestamp, watermark }` for each record that every one of its windows has closed on; on Redis once it is
   * committed.
   */
  recordLate: 'rs:record:late',
  /** `{ job, task, topic, partition, id, error }` for each record of a job that became a dead letter, or timer, which has no `id`. */
  recordDead: 'rs:record:dead',
  /** `{ job, task, topic, partition, epoch, crashes, offset }` when a process has become the owner of a task of a job. */
  taskAcquired: 'rs:task:acquired',
  /** `{ job, task, topic, partition }` when it has given the task back. */
  taskReleased: 'rs:task:released',
  /** `{ job, task, topic, partition }` when the input of a task has ended and all of its results are delivered. */
  taskFinished: 'rs:task:finished',
  /** `{ job, task, topic, partition, error }` when it has lost the task: to another owner, or since it was out of touch. */
  taskLost: 'rs:task:lost',
  /** `{ job, task, topic, partition, error }` when the task cannot go on, which ends the job in this process. */
  taskFailed: 'rs:task:failed',
  /** `{ driver, target, node }` when a connection to Redis stands; `target` says what was asked for, such as `the master`. */
  redisConnected: 'rs:redis:connected',
  /** `{ driver, target, node, error }` when one has ended, with the reason; also when it was ended on purpose. */
  redisDisconnected: 'rs:redis:disconnected',
  /** `{ topic, partition, group, epoch, crashed, low }` when a consumer has become the owner of a partition. */
  partitionAcquired: 'rs:partition:acquired',
  /** `{ topic, partition, group }` when it has given the partition back. */
  partitionReleased: 'rs:partition:released',
  /** `{ topic, partition, group, error }` when it has lost the partition: to another owner, or since it was out of touch. */
  partitionLost: 'rs:partition:lost',
  /** `{ topic, partition, group, id, failed, error }` for each attempt that failed and is followed by another; of a job also `{ job, task }`. */
  messageRetried: 'rs:message:retried',
  /** `{ topic, partition, group, id, reason, error }` for each message that became a dead letter; of a job also `{ job, task }`. */
  messageDead: 'rs:message:dead',
  /**
   * `{ topic, partition, group, count, ids }` for messages that were removed from the topic before they were settled; `ids` is empty
   * for those that the group was never given.
   */
  messagesLost: 'rs:message:lost',
} as const;

export type DiagnosticsChannelName = (typeof DIAGNOSTICS_CHANNELS)[keyof typeof DIAGNOSTICS_CHANNELS];

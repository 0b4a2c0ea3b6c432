import { channel } from 'node:diagnostics_channel';
import { DIAGNOSTICS_CHANNELS } from '@rs/core';

/** The channels of core, opened for publishing. */
export const channels = {
  jobStarted: channel(DIAGNOSTICS_CHANNELS.jobStarted),
  jobFinished: channel(DIAGNOSTICS_CHANNELS.jobFinished),
  jobFailed: channel(DIAGNOSTICS_CHANNELS.jobFailed),
  recordLate: channel(DIAGNOSTICS_CHANNELS.recordLate),
  recordDead: channel(DIAGNOSTICS_CHANNELS.recordDead),
  messageRetried: channel(DIAGNOSTICS_CHANNELS.messageRetried),
  messagesLost: channel(DIAGNOSTICS_CHANNELS.messagesLost),
  messageDead: channel(DIAGNOSTICS_CHANNELS.messageDead),
  taskAcquired: channel(DIAGNOSTICS_CHANNELS.taskAcquired),
  taskReleased: channel(DIAGNOSTICS_CHANNELS.taskReleased),
  taskFinished: channel(DIAGNOSTICS_CHANNELS.taskFinished),
  taskLost: channel(DIAGNOSTICS_CHANNELS.taskLost),
  taskFailed: channel(DIAGNOSTICS_CHANNELS.taskFailed),
};

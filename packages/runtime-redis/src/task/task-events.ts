import { channel } from 'node:diagnostics_channel';
import { DIAGNOSTICS_CHANNELS, type Logger } from '@rs/core';
import type { TaskPlace } from '../keys/task-place.ts';
import type { TaskEvents } from './task-host.ts';

const retried = channel(DIAGNOSTICS_CHANNELS.messageRetried);
const dead = channel(DIAGNOSTICS_CHANNELS.messageDead);

/** Tells the logger and the diagnostics channels what goes wrong in tasks. */
export function taskEvents(logger: Logger): TaskEvents {
  return {
    failed: (place, error, failed) => {
      const facts = { ...nameOf(place), failed, error };
      logger.warn(facts, 'a task has failed and tries again, or gives up what failed');
      retried.publish(facts);
    },
    dead: (place, id, error) => {
      const facts = { ...nameOf(place), ...(id === undefined ? {} : { id }), reason: 'job', error };
      logger.error(facts, id === undefined ? 'a timer was given up' : 'a message became a dead letter');
      dead.publish(facts);
    },
  };
}

function nameOf({ job, task, topic, partition, group }: TaskPlace): Readonly<Record<string, unknown>> {
  return { job, task, topic, partition, group };
}

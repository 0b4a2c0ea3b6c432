import type { Logger } from '@rs/core';
import { channels } from '../diagnostics/channels.ts';
import type { TaskPlace } from '../keys/task-place.ts';
import type { TaskEvents } from './task-host.ts';

/** Tells the logger and the diagnostics channels what goes wrong in tasks. */
export function taskEvents(logger: Logger): TaskEvents {
  return {
    trouble: (place, error, attempts) => {
      logger.warn(
        { ...nameOf(place), attempts, error },
        'something besides records has failed in a task; the error says what',
      );
    },
    retried: (place, id, error, attempts) => {
      const facts = { ...nameOf(place), id, failed: attempts, error };
      logger.warn(facts, 'a record has failed; it is tried again');
      channels.messageRetried.publish({ ...facts, group: place.group });
    },
    dead: (place, { id, reason, error }) => {
      const facts = { ...nameOf(place), id, error };
      logger.error({ ...facts, reason }, `a ${id === undefined ? 'timer' : 'record'} became a dead letter`);
      channels.recordDead.publish(facts);
      // Those who watch topics and groups know of no timers.
      if (id !== undefined) channels.messageDead.publish({ ...facts, group: place.group, reason });
    },
    get hearsLate() {
      return channels.recordLate.hasSubscribers;
    },
    late: (records) => {
      for (const record of records) channels.recordLate.publish(record);
    },
  };
}

function nameOf({ job, task, topic, partition }: TaskPlace): Readonly<Record<string, unknown>> {
  return { job, task, topic, partition };
}

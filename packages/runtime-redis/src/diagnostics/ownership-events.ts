import type { Logger } from '@rs/core';
import type { TaskPlace } from '../keys/task-place.ts';
import type { OwnershipEvents } from '../ownership/ownership-events.ts';
import { channels } from './channels.ts';

/** Tells the logger and the diagnostics channels what happens to tasks. */
export function ownershipEvents(logger: Logger): OwnershipEvents {
  return {
    acquired: (place, { epoch, crashes, stored: { offset } }) => {
      const facts = { ...nameOf(place), epoch, crashes, offset };
      logger.info(facts, 'task acquired');
      channels.taskAcquired.publish(facts);
    },
    released: (place) => {
      const facts = nameOf(place);
      logger.info(facts, 'task given back');
      channels.taskReleased.publish(facts);
    },
    finished: (place) => {
      const facts = nameOf(place);
      logger.info(facts, 'task finished');
      channels.taskFinished.publish(facts);
    },
    lost: (place, error) => {
      const facts = { ...nameOf(place), error };
      logger.warn(facts, 'task lost');
      channels.taskLost.publish(facts);
    },
    failed: (place, error) => {
      const facts = { ...nameOf(place), error };
      logger.error(facts, 'task cannot go on; the job stops in this process');
      channels.taskFailed.publish(facts);
    },
    unreleased: (place, error) => {
      logger.warn({ ...nameOf(place), error }, 'what was held could not be given back; it ends by itself');
    },
    trouble: (place, what, error) => {
      logger.warn({ ...nameOf(place), error }, `${what} failed; trying again`);
    },
    meetingFailed: (error) => {
      logger.warn({ error }, 'the other processes of the job could not be met; trying again');
    },
  };
}

function nameOf({ job, task, topic, partition }: TaskPlace): {
  readonly job: string;
  readonly task: string;
  readonly topic: string;
  readonly partition: number;
} {
  return { job, task, topic, partition };
}

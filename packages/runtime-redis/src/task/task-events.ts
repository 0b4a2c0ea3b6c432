import type { Logger } from '@rs/core';
import type { FailedTimer } from '@rs/runtime';
import { channels } from '../diagnostics/channels.ts';
import type { TaskPlace } from '../keys/task-place.ts';
import type { TaskEvents } from './task-host.ts';

/** Tells the logger and the diagnostics channels what goes wrong in tasks. */
export function taskEvents(logger: Logger): TaskEvents {
  return {
    failed: (place, error, attempts, work) => {
      const facts = { ...nameOf(place), attempts, error };
      if (work === undefined) {
        logger.warn(facts, `a call of Redis or of a sink has failed ${where(place)}; trying again`);
      } else if ('timer' in work) {
        logger.warn(
          { ...facts, timer: work.timer },
          `${timerText(work.timer)} has failed ${where(place)}; it is tried again`,
        );
      } else {
        const { record: id } = work;
        logger.warn({ ...facts, id }, `record ${id} has failed ${where(place)}; it is tried again`);
        channels.messageRetried.publish({
          ...nameOf(place),
          id,
          failed: attempts,
          error,
          group: place.group,
        });
      }
    },
    messagesLost: (place, { after, before, count, deleted }) => {
      const facts = { ...nameOf(place), after, before, count };
      const what = deleted
        ? `the log was deleted or set back: what it had after ${after}, if anything, is lost unread`
        : `messages were removed before they were read; keep more of the topic`;
      logger.error(facts, `${what} (partition ${place.partition} of topic '${place.topic}')`);
      channels.messagesLost.publish({ ...facts, group: place.group, count: count ?? 0, ids: [] });
    },
    unreleased: (place, error) => {
      logger.warn(
        { ...nameOf(place), error },
        `the lease could not be given back ${where(place)}; it ends by itself`,
      );
    },
    dead: (place, { id, timer, reason, error }) => {
      const facts = { ...nameOf(place), id, error };
      const what = timer === undefined ? `record ${String(id)}` : timerText(timer);
      logger.error({ ...facts, reason }, `${what} became a dead letter ${where(place)}`);
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

function where({ topic, partition }: TaskPlace): string {
  return `in partition ${partition} of topic '${topic}'`;
}

function timerText({ operator, kind, time, key }: FailedTimer): string {
  return `a timer of '${operator}' (${kind} time ${time}, key ${key})`;
}

function nameOf({ job, task, topic, partition }: TaskPlace): Readonly<Record<string, unknown>> {
  return { job, task, topic, partition };
}

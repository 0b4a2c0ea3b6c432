import { channel } from 'node:diagnostics_channel';
import { DIAGNOSTICS_CHANNELS, type Logger } from '@rs/core';
import type { LaneEvents } from '../lane/lane-events.ts';
import type { GroupPartition } from '../partition/group-partition.ts';

const acquired = channel(DIAGNOSTICS_CHANNELS.partitionAcquired);
const released = channel(DIAGNOSTICS_CHANNELS.partitionReleased);
const lost = channel(DIAGNOSTICS_CHANNELS.partitionLost);
const retried = channel(DIAGNOSTICS_CHANNELS.messageRetried);
const dead = channel(DIAGNOSTICS_CHANNELS.messageDead);
const entriesLost = channel(DIAGNOSTICS_CHANNELS.messagesLost);

/** Tells the logger and the diagnostics channels what happens to partitions and messages. */
export function consumerEvents(logger: Logger): LaneEvents {
  return {
    acquired: (place, { epoch, crashed, low }) => {
      const facts = { ...nameOf(place), epoch, crashed, low };
      logger.info(facts, 'partition acquired');
      acquired.publish(facts);
    },
    released: (place) => {
      const facts = nameOf(place);
      logger.info(facts, 'partition given back');
      released.publish(facts);
    },
    lost: (place, error) => {
      const facts = { ...nameOf(place), error };
      logger.warn(facts, 'partition lost');
      lost.publish(facts);
    },
    retried: (place, id, failed, error) => {
      const facts = { ...nameOf(place), id, failed, error };
      logger.debug(facts, 'message is retried');
      retried.publish(facts);
    },
    dead: (place, id, reason, error) => {
      const facts = { ...nameOf(place), id, reason, error };
      logger.warn(facts, 'message became a dead letter');
      dead.publish(facts);
    },
    entriesMissed: (place, count) => {
      const facts = { ...nameOf(place), count, ids: [] };
      logger.error(facts, 'messages were removed before they were read; keep more of the topic');
      entriesLost.publish(facts);
    },
    entriesLost: (place, ids) => {
      const facts = { ...nameOf(place), count: ids.length, ids };
      logger.error(facts, 'messages were removed before they were handled; keep more of the topic');
      entriesLost.publish(facts);
    },
    policyFailed: (place, error) => {
      logger.error({ ...nameOf(place), error }, 'retry.policy failed; the message is retried by the rules');
    },
    unreleased: (place, error) => {
      logger.warn({ ...nameOf(place), error }, 'what was held could not be given back; it ends by itself');
    },
    trouble: (place, what, error) => {
      logger.warn({ ...nameOf(place), error }, `${what} failed; trying again`);
    },
  };
}

function nameOf({ topic, partition, group }: GroupPartition): {
  topic: string;
  partition: number;
  group: string;
} {
  return { topic, partition, group };
}

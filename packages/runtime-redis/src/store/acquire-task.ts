import { RsError } from '@rs/core';
import type { RedisClient } from '@rs/redis';
import { TaskKeys } from '../keys/task-keys.ts';
import type { TaskPlace } from '../keys/task-place.ts';
import { acquireTask as acquireTaskCall } from '../lua/scripts.generated.ts';
import { list, text } from './replies.ts';
import { decodeFacts } from './task-facts.ts';
import type { AcquireReply } from './task-lease.ts';

export interface AcquireOptions {
  /** Random, new for each acquisition; kept, and given again, until it is known whether the task was acquired. */
  readonly token: string;
  /** The process, for people. */
  readonly owner: string;
  /** Milliseconds until the lease ends unless it is renewed: as Redis is told. */
  readonly ttl: number;
  /** Id after which a new task begins where no group has been before; `$` for the end of the log. Default `0-0`. */
  readonly from?: string;
  /**
   * The last entry that is read: an id, `$` for the last one there is now, `=` for that before the task begins, so that it reads none. What
   * was fixed before stays. Default: no end.
   */
  readonly until?: string | undefined;
}

/**
 * Makes a process the owner of a task, unless somebody else is. Safe to be made again with the same token.
 *
 * @throws RsError `RS_GROUP_IN_USE` while a plain consumer reads the partition as the group of the job; `RS_LOG_ROLLED_BACK` when what the
 *   last commit stored is gone; `RS_INVALID_VALUE` for facts that cannot be read; as `RedisClient.run`
 */
export async function acquireTask(
  client: RedisClient,
  place: TaskPlace,
  { token, owner, ttl, from = '0-0', until }: AcquireOptions,
): Promise<AcquireReply> {
  const keys = new TaskKeys(place);
  const { own, meta, holds, log, group: plain, hold } = keys;
  const reply = list(
    await client.run(
      acquireTaskCall({
        keys: { own, meta, holds, log, plain },
        args: {
          token,
          owner,
          ttl,
          hold,
          job: place.job,
          group: place.group,
          from,
          until: until ?? '',
        },
      }),
      { binary: true },
    ),
  );
  const status = text(reply[0]);
  if (status === 'BUSY') return { type: 'busy', left: Number(reply[1]), owner: String(reply[2]) };
  if (status === 'CONSUMED') throw groupInUse(place, String(reply[2]));
  if (status === 'ROLLED_BACK') throw rolledBack(place, keys);
  const [, epoch, crashes, started, now, facts] = reply;
  return {
    type: 'acquired',
    lease: {
      token,
      epoch: Number(epoch),
      now: Number(now),
      stored: decodeFacts(facts, place.task),
      crashes: Number(crashes),
      started: text(started),
    },
  };
}

function groupInUse({ group, topic, partition, job }: TaskPlace, owner: string): RsError {
  return new RsError(
    'RS_GROUP_IN_USE',
    `job '${job}' cannot read partition ${partition} of topic '${topic}' as group '${group}': consumer '${owner}' does; stop the ` +
      'consumers of the group, or give the job a group of its own',
    { details: { job, topic, partition, group, members: [owner] } },
  );
}

function rolledBack({ task, topic, partition, job }: TaskPlace, { meta, own }: TaskKeys): RsError {
  return new RsError(
    'RS_LOG_ROLLED_BACK',
    `job '${job}' has worked on partition ${partition} of topic '${topic}', but its position there is gone: somebody has removed ${meta}. To begin ` +
      `again would count records twice over the state that is left; restore that key, or remove all keys of the task, ${own} included, ` +
      'to begin anew',
    { details: { job, task, topic, partition, key: meta } },
  );
}

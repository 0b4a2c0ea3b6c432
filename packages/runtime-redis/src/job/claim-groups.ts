import { RsError } from '@rs/core';
import { groupOfJob, unknownTopic } from '@rs/mq';
import { type RedisClient, type RedisReply, TopicKeys } from '@rs/redis';
import { claimGroup } from '../lua/scripts.generated.ts';
import type { StagePlan } from '../ownership/stage-tasks.ts';

/**
 * Makes the groups that a job reads as its own, so that no plain consumer joins them.
 *
 * @throws RsError `RS_GROUP_OF_JOB` when another job has one, `RS_GROUP_IN_USE` when consumers are in one, `RS_UNKNOWN_TOPIC`;
 *   what the client throws
 */
export async function claimGroups(
  client: Pick<RedisClient, 'run'>,
  plans: readonly Pick<StagePlan, 'topic' | 'group'>[],
  { prefix, job }: { readonly prefix: string; readonly job: string },
): Promise<void> {
  for (const { topic, group } of plans) {
    const keys = new TopicKeys({ topic, shards: 1, prefix });
    const call = claimGroup({
      keys: { meta: keys.meta, members: keys.members(group) },
      args: { group, job },
    });
    const [status, who] = (await client.run(call)) as readonly RedisReply[];
    if (status === 'UNKNOWN') throw unknownTopic(topic);
    if (status === 'JOB') throw groupOfJob(topic, group, String(who));
    if (status === 'MEMBERS') throw inUse(topic, group, job, who as readonly string[]);
  }
}

function inUse(topic: string, group: string, job: string, members: readonly string[]): RsError {
  return new RsError(
    'RS_GROUP_IN_USE',
    `job '${job}' cannot read topic '${topic}' as group '${group}': ${members.length === 1 ? 'a consumer is' : `${members.length} consumers are`} ` +
      `in it (${members.join(', ')}); stop the consumers of the group, or give the job a group of its own`,
    { details: { job, topic, group, members } },
  );
}

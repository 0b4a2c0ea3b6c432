import { RsError } from '@rs/core';

/** The error about a group whose position is that of a job: two readers would each get a part of the messages. */
export function groupOfJob(topic: string, group: string, job: string): RsError {
  return new RsError(
    'RS_GROUP_OF_JOB',
    `group '${group}' of topic '${topic}' belongs to the job '${job}'; read the topic as a group of your own`,
    { details: { topic, group, job } },
  );
}

import { ownValue, RsError } from '@rs/core';
import type { KnownTopics } from './known-topics.ts';
import { topicOf } from '../environment/topic-of.ts';
import type { RuntimeSettings } from '../options/settings.ts';
import type { StagePlan } from '../ownership/stage-tasks.ts';
import type { Topology } from '@rs/runtime';

/** Ids of the last entries by partition, for each bounded task. */
export type Ends = Readonly<Record<string, readonly string[]>>;

/** What `acquire` takes for a partition of which nothing is read. */
const NONE = '=';

/** The stages of a job as its processes look after them. Each has one source. */
export function stagePlans(
  topology: Topology,
  settings: Pick<RuntimeSettings, 'prefix' | 'jobName' | 'stateShards'>,
  topics: KnownTopics,
  ends: Ends,
): readonly StagePlan[] {
  const { prefix, jobName: job, stateShards } = settings;
  return topology.stages.flatMap((stage) =>
    stage.sources.map((source): StagePlan => {
      const task = topology.graph.operatorId(source);
      const { topic, group, options } = topicOf(source);
      const { partitions, shards: topicShards } = topics.of(topic);
      const last = ownValue(ends, task);
      return {
        task,
        stage,
        topic,
        group,
        partitions,
        placeOf: (partition) => ({ prefix, job, task, topic, partition, topicShards, group, stateShards }),
        untilOf: (partition) => (options.until === undefined ? undefined : (last?.[partition] ?? NONE)),
      };
    }),
  );
}

/**
 * Where bounded sources end, as this process would have it: for `'now'` the last entry of each partition at this moment.
 *
 * @param lastId id of the last entry of a partition's log
 * @throws RsError `RS_INVALID_ARGUMENT` for ids of partitions that the topic does not have; what `lastId` throws
 */
export async function endsOf(
  topology: Topology,
  topics: KnownTopics,
  lastId: (topic: string, partition: number) => Promise<string>,
): Promise<Ends> {
  const ends = topology.graph.sources.map(async (source): Promise<readonly [string, readonly string[]][]> => {
    const { topic, options } = topicOf(source);
    const { until } = options;
    if (until === undefined) return [];
    const { partitions } = topics.of(topic);
    if (until !== 'now') checkPartitions(until, partitions, source.name);
    const all = Array.from({ length: partitions }, (_, partition) => partition);
    const last =
      until === 'now'
        ? await Promise.all(all.map((partition) => lastId(topic, partition)))
        : all.map((partition) => until[partition] ?? NONE);
    return [[topology.graph.operatorId(source), last]];
  });
  return Object.fromEntries((await Promise.all(ends)).flat());
}

function checkPartitions(ids: Readonly<Record<number, string>>, partitions: number, name: string): void {
  const unknown = Object.keys(ids).find((partition) => Number(partition) >= partitions);
  if (unknown === undefined) return;
  throw new RsError(
    'RS_INVALID_ARGUMENT',
    `source '${name}': until names partition ${unknown}, but the topic's partitions are 0 to ${partitions - 1}`,
    { details: { operator: name, received: unknown } },
  );
}

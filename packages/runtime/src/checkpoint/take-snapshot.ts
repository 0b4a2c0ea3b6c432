import type { ChainedJob } from '../driver/chained.ts';
import type { PartitionReader } from '../driver/source-reader.ts';
import type { Plan } from '../graph/plan.ts';
import type { TimerQueue } from '../time/timer-queue.ts';
import { encodeKey } from '../state/key-encoding.ts';
import type { StoredTimer } from '../time/stored-timer.ts';
import {
  type JobSnapshot,
  type OperatorSnapshot,
  type SinkSnapshot,
  SNAPSHOT_VERSION,
  type SourceSnapshot,
  type StateSnapshot,
} from './job-snapshot.ts';
import { partitionCounts } from './partition-counts.ts';

/**
 * Copies everything that a job keeps, at a moment at which nothing is under way: between two records, with no promise
 * pending.
 *
 * @throws RsError `RS_INVALID_VALUE` for state that was changed into something that cannot be stored
 */
export function takeSnapshot(
  job: ChainedJob,
  readers: readonly PartitionReader[],
  sinks: readonly SinkSnapshot[],
): JobSnapshot {
  return {
    version: SNAPSHOT_VERSION,
    operators: job.plans.flatMap(operatorsOf),
    states: job.plans.flatMap(statesOf),
    sources: readers.map((one) => sourceOf(one, job)),
    sinks,
  };
}

/** That of a job that has not begun. */
export function emptySnapshot(): JobSnapshot {
  return { version: SNAPSHOT_VERSION, operators: [], states: [], sources: [], sinks: [] };
}

function operatorsOf({ place: { topology, partition }, operators }: Plan): OperatorSnapshot[] {
  const counts = partitionCounts(topology);
  return operators.flatMap(({ id, instance }) => {
    const meta = instance.meta?.();
    const { timers } = instance;
    if (meta === undefined && timers === undefined) return [];
    const event = timers === undefined ? [] : timersOf(timers.event);
    const processing = timers === undefined ? [] : timersOf(timers.processing);
    return [{ id, partition, partitions: counts.ofOperator(id), meta: meta ?? {}, event, processing }];
  });
}

function timersOf(queue: TimerQueue): StoredTimer[] {
  return queue
    .all()
    .map(({ time, key, namespace }) => ({ time, key: encodeKey(key), namespace: String(namespace) }));
}

function statesOf({ place: { topology, partition, store } }: Plan): StateSnapshot[] {
  const counts = partitionCounts(topology);
  return store
    .contents()
    .map((contents) => ({ ...contents, partition, partitions: counts.ofState(contents.operator) }));
}

function sourceOf(one: PartitionReader, { topology, ended }: ChainedJob): SourceSnapshot {
  const { source, partition, reader } = one;
  return {
    id: topology.graph.operatorId(source),
    partition,
    position: reader.position(),
    ended: ended.has(one),
  };
}

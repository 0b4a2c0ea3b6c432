import { partitionOf } from '@rs/core';
import type { Commit, Delivery, History, Tenure } from '../history/history.ts';
import { lastRecords, recordOf } from '../load/records.ts';
import { LOAD } from '../load/settings.ts';
import { type Expected, expectedOf } from '../model/model.ts';
import type { LogEntry, PartitionResults, Results, TaskState } from '../redis/stored.ts';

export const SEED = 1;
const RECORDS = 600;
/** Milliseconds from one record to the next, and from a record to its commit. Ids and times can be compared at a glance. */
const STEP = 10;
const TAKES = 5;

function logOf(): LogEntry[] {
  const records = Array.from({ length: RECORDS }, (_, at) => recordOf(SEED, at + 1));
  return [...records, ...lastRecords(RECORDS)]
    .map(({ n, key, time }) => ({
      ...{ partition: partitionOf(key, LOAD.partitions), id: `${n * STEP}-0`, key, n, time },
    }))
    .sort((a, b) => a.partition - b.partition || a.n - b.n);
}

const PARTITIONS = Array.from({ length: LOAD.partitions }, (_, partition) => partition);

export const LOG: readonly LogEntry[] = logOf();

export function entriesOf(partition: number): LogEntry[] {
  return LOG.filter((entry) => entry.partition === partition);
}

/** What sinks hold when all is well. */
export function rightResults(): Results {
  const expected = expectedOf(SEED, LOG);
  const topic = <T extends { readonly key: string }>(
    { partitions }: { readonly partitions: number },
    of: (each: Expected) => readonly T[],
  ): T[][] =>
    Array.from({ length: partitions }, (_, target) =>
      expected.flatMap(of).filter(({ key }) => partitionOf(key, partitions) === target),
    );
  return {
    partitions: expected.map(
      ({ partition, counts, windows, late, sessions, timers, clocked }): PartitionResults => ({
        ...{ partition, late, sessions, timers },
        counts: Object.fromEntries(counts.map(({ key, count }) => [key, count])),
        windows: Object.fromEntries(windows.map((each) => [`${each.key} ${each.start}`, each])),
        clockTimers: clocked.map((n) => ({ key: 'any', time: n, records: [n] })),
      }),
    ),
    countsTopic: topic(LOAD.counts, ({ counts }) => counts),
    windowsTopic: topic(LOAD.windows, ({ windows }) => windows),
  };
}

/** The partitions when everybody has stopped. */
export function tasksAtTheEnd(): TaskState[] {
  return PARTITIONS.map((partition) => {
    const last = entriesOf(partition).at(-1)?.id ?? '0-0';
    return { partition, last, held: last, delivered: last, lag: 0, owned: false };
  });
}

export function tenure(partition: number, facts: Partial<Tenure> = {}): Tenure {
  return {
    ...{ incarnation: 'worker-0#1', partition, token: `a${partition}`, epoch: 1 },
    ...{ seq: 0, offset: '0-0', from: 0, until: undefined, ...facts },
  };
}

/** The commits of a partition, one for each record. */
export function commitsOf(partition: number, facts: Partial<Commit> = {}): Commit[] {
  return entriesOf(partition).map(({ id, n }, at) => ({
    ...{ incarnation: 'worker-0#1', partition, token: `a${partition}` },
    ...{ seq: at + 1, offset: id, at: n * STEP + TAKES, reply: 'OK', ...facts },
  }));
}

/** The deliveries of all partitions, each right after its commit. */
export function rightDeliveries(): Delivery[] {
  return expectedOf(SEED, LOG)
    .flatMap(({ counts }) => counts)
    .map((count) => ({ ...count, incarnation: 'worker-0#1', at: count.n * STEP + TAKES }))
    .sort((a, b) => a.at - b.at);
}

/** A run in which one process did everything and nothing went wrong, but for what is given. */
export function history(facts: Partial<History> = {}): History {
  return {
    ...{ seed: SEED, lease: LOAD.lease, wallOffset: 0, drained: 0, missing: [], log: LOG },
    ...{
      sent: LOG.length,
      refused: 0,
      disturbances: [],
      failures: [],
      stops: [],
      lags: [],
      ready: [{ incarnation: 'worker-0#1', at: 0 }],
      deadLetters: [],
    },
    threw: { map: 0, count: 0, session: 0, timer: 0, window: 0, sink: 0 },
    incarnations: [
      { incarnation: 'worker-0#1', from: 0, killedAt: undefined, endedAt: undefined, failure: undefined },
    ],
    confirmed: LOG.map(({ n, partition, id }) => ({ at: n * STEP, n, partition, id })),
    tenures: PARTITIONS.map((partition) => tenure(partition)),
    commits: PARTITIONS.flatMap((partition) => commitsOf(partition)).sort((a, b) => a.at - b.at),
    deliveries: rightDeliveries(),
    results: rightResults(),
    tasks: tasksAtTheEnd(),
    ...facts,
  };
}

/** The right results, with another one of a partition. */
export function withPartition(
  partition: number,
  change: (results: PartitionResults) => Partial<PartitionResults>,
): History {
  const results = rightResults();
  const partitions = results.partitions.map((each) =>
    each.partition === partition ? { ...each, ...change(each) } : each,
  );
  return history({ results: { ...results, partitions } });
}

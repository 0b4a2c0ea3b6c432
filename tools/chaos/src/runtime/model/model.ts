import type { Count, LateRecord, TimerResult, WindowResult } from '../load/results.ts';
import { LOAD } from '../load/settings.ts';
import type { LogEntry } from '../redis/stored.ts';
import { SessionModel } from './sessions.ts';
import { TimerModel } from './timers.ts';
import { TumblingModel } from './tumbling.ts';

/** What the job has to make of the records of a partition, in its order. */
export interface Expected {
  readonly partition: number;
  /** One for each record. */
  readonly counts: readonly Count[];
  readonly windows: readonly WindowResult[];
  readonly late: readonly LateRecord[];
  readonly sessions: readonly WindowResult[];
  readonly timers: readonly TimerResult[];
  /** The records, each of which has had a timer of processing time. */
  readonly clocked: readonly number[];
}

/**
 * Works the log off by hand, without the engine. What is late is decided by the order in the partition alone, so there is one
 * right result, whatever happened to whoever worked on it.
 */
export function expectedOf(seed: number, log: readonly LogEntry[]): Expected[] {
  return Array.from({ length: LOAD.partitions }, (_, partition) =>
    ofPartition(
      seed,
      partition,
      log.filter((entry) => entry.partition === partition),
    ),
  );
}

function ofPartition(seed: number, partition: number, log: readonly LogEntry[]): Expected {
  const tumbling = new TumblingModel();
  const sessions = new SessionModel();
  const timers = new TimerModel(seed);
  const perKey = new Map<string, number>();
  const counts: Count[] = [];
  let watermark = -Infinity;
  for (const record of log) {
    const { key, n, time } = record;
    watermark = Math.max(watermark, time - LOAD.outOfOrderness - 1);
    for (const model of [tumbling, sessions, timers]) model.advance(watermark);
    const count = (perKey.get(key) ?? 0) + 1;
    perKey.set(key, count);
    counts.push({ key, n, count });
    for (const model of [tumbling, sessions, timers]) model.take(record, watermark);
  }
  return {
    ...{ partition, counts, windows: tumbling.results, late: tumbling.late, sessions: sessions.results },
    ...{ timers: timers.results, clocked: log.map(({ n }) => n) },
  };
}

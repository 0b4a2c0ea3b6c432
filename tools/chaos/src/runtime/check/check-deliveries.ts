import { partitionOf } from '@rs/core';
import type { Delivery, History } from '../history/history.ts';
import { LOAD } from '../load/settings.ts';
import type { Expected } from '../model/model.ts';
import { recordEvidence } from './evidence.ts';
import type { Violation } from './violation.ts';

export interface Deliveries {
  readonly total: number;
  /** Results that came once more, since their process had ended or lost the partition before it could say that it has them. */
  readonly repeats: number;
  readonly violations: readonly Violation[];
}

/**
 * A function gets all results of a partition without a gap and in order. Who takes over begins again somewhere at or before the first
 * that nobody was given; nobody begins again without having taken over.
 */
export function checkDeliveries(history: History, expected: readonly Expected[]): Deliveries {
  const violations: Violation[] = [];
  let repeats = 0;
  for (const { partition, counts } of expected) {
    const ours = history.deliveries.filter(({ key }) => partitionOf(key, LOAD.partitions) === partition);
    const places = new Map(counts.map(({ n }, at) => [n, at]));
    const tell = (what: string, n: number): void => {
      violations.push({
        promise: 'functions get all results, repeats are the same',
        what: `partition ${partition}: ${what}`,
        evidence: recordEvidence(
          history,
          history.log.find((each) => each.n === n),
        ),
      });
    };
    /** How many results were delivered by anybody. */
    let reached = 0;
    const last = new Map<string, number>();
    for (const delivery of ours) {
      const { n, count, incarnation } = delivery;
      const place = places.get(n);
      if (place === undefined || counts[place]?.count !== count) {
        tell(`${incarnation} delivered ${JSON.stringify({ n, count })}, which is no result`, n);
        continue;
      }
      const tenure = `${incarnation} ${tenureOf(history, delivery, partition)}`;
      const before = last.get(tenure);
      last.set(tenure, place);
      if (before !== undefined && place !== before + 1) {
        tell(`${incarnation} delivered the result of record ${n} where that of another was next`, n);
      } else if (place > reached)
        tell(`${incarnation} left out ${place - reached} results before record ${n}`, n);
      if (place < reached) repeats++;
      reached = Math.max(reached, place + 1);
    }
    const missing = counts[reached];
    if (missing !== undefined)
      tell(`${counts.length - reached} results were never delivered, from record ${missing.n} on`, missing.n);
  }
  return { total: history.deliveries.length, repeats, violations };
}

/** The tenure in which a process delivered: it does not take a partition again while it still delivers from an earlier time. */
function tenureOf({ tenures }: History, { incarnation, at }: Delivery, partition: number): number {
  return tenures.filter(
    (each) => each.incarnation === incarnation && each.partition === partition && each.from <= at,
  ).length;
}

import { partitionOf } from '@rs/core';
import { hash } from '../../seed/hash.ts';
import { LOAD } from './settings.ts';

/** A record as it is sent. Its value is its number. */
export interface NewRecord {
  /** From 1. */
  readonly n: number;
  readonly key: string;
  /** Event time. */
  readonly time: number;
}

const PER_MILLE = 1_000;

/** The n-th record: most within the out-of-orderness, some late for their windows, some too late, some ahead. */
export function recordOf(seed: number, n: number): NewRecord {
  const key = `key-${hash(seed, n, 'key') % LOAD.keys}`;
  return { n, key, time: LOAD.begin + n * LOAD.step - behind(seed, n) };
}

function behind(seed: number, n: number): number {
  const fate = hash(seed, n, 'time') % PER_MILLE;
  const amount = hash(seed, n, 'amount');
  if (fate < 900) return amount % LOAD.outOfOrderness;
  if (fate < 960) return LOAD.outOfOrderness + (amount % (LOAD.lateness + LOAD.window));
  if (fate < 990) return LOAD.outOfOrderness + LOAD.window + LOAD.lateness + (amount % 3_000);
  return -(amount % 400);
}

/** Event time far behind that of all records. */
const MUCH_LATER = 1_000_000_000;

/** One record for each partition that lets everything in it become due: its own windows and timers never do. */
export function lastRecords(after: number): NewRecord[] {
  const records: NewRecord[] = [];
  for (let partition = 0, at = 0; partition < LOAD.partitions; at++) {
    const key = `last-${at}`;
    if (partitionOf(key, LOAD.partitions) !== partition) continue;
    records.push({ n: after + partition + 1, key, time: LOAD.begin + MUCH_LATER });
    partition++;
  }
  return records;
}

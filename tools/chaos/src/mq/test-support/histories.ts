import type { Disturbance } from '../../faults/disturbance.ts';
import type { Closing, Handling, History, Tenure } from '../history/history.ts';
import { type MessageName, planOf } from '../load/plan.ts';
import { LOAD } from '../load/settings.ts';
import type { LogEntry, PartitionState } from '../redis/stored.ts';

export const SEED = 1;
/** Epoch milliseconds minus monotonic ones, in all of these histories: ids and times can be compared at a glance. */
const WALL_OFFSET = 0;

/** The first messages of a key whose plan is so. */
export function namesOf(key: string, count: number, is: 'alive' | 'dead' = 'alive'): MessageName[] {
  const names: MessageName[] = [];
  for (let n = 1; names.length < count; n++) {
    if (planOf(SEED, { key, n }).dead === (is === 'dead')) names.push({ key, n });
  }
  return names;
}

export function entry(partition: number, at: number, name: MessageName, by = 'producer#1'): LogEntry {
  return { partition, id: `${at}-0`, by, ...name };
}

/** A handling of an entry, 10 ms long. */
export function handling(
  { partition, id }: Pick<LogEntry, 'partition' | 'id'>,
  start: number,
  facts: Partial<Handling> = {},
): Handling {
  return {
    ...{ incarnation: 'consumer-0#1', partition, id, epoch: 1, attempt: 1 },
    ...{ called: start, start, end: start + 10, result: 'done', aborted: false },
    ...facts,
  };
}

export function tenure(partition: number, from: number, facts: Partial<Tenure> = {}): Tenure {
  return {
    ...{ incarnation: 'consumer-0#1', partition, epoch: 1, from, until: undefined, how: undefined },
    ...facts,
  };
}

export function fault(
  kind: Disturbance['kind'],
  from: number,
  until: number,
  facts: Partial<Disturbance> = {},
): Disturbance {
  return { kind, from, until, ...facts };
}

export function closing(took: number | undefined, facts: Partial<Closing> = {}): Closing {
  const { closeBudget: budget } = LOAD;
  return { incarnation: 'consumer-0#1', at: 5_000, budget, took, abandoned: 0, unreleased: 0, ...facts };
}

/** Everything settled up to an id, and nobody there. */
export function settled(
  partition: number,
  last: string,
  facts: Partial<PartitionState> = {},
): PartitionState {
  return {
    ...{ partition, last, delivered: last, pending: 0, low: last, held: last, epoch: 1, owned: false },
    ...{ retries: [], attempts: [], ...facts },
  };
}

/** A run in which nothing happened but what is given. */
export function history(facts: Partial<History> = {}): History {
  return {
    ...{ seed: SEED, lease: LOAD.lease, wallOffset: WALL_OFFSET, drained: 0 },
    incarnations: [
      { incarnation: 'consumer-0#1', from: 0, killedAt: undefined, endedAt: undefined, failure: undefined },
    ],
    ...{ disturbances: [], sent: [], confirmed: [], refused: [], log: [], deadLetters: [] },
    ...{ handlings: [], tenures: [], closings: [], lags: [], sightings: [], states: [] },
    ...facts,
  };
}

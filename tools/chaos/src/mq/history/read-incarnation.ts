import type { Incarnation } from '../../processes/incarnation.ts';
import type { Entry, Position } from './entry.ts';
import { type Closing, type Handling, type History, type Tenure, placeOf } from './history.ts';

/** What the journal of one process tells. */
export type Told = Pick<
  History,
  'sent' | 'confirmed' | 'refused' | 'handlings' | 'tenures' | 'closings' | 'lags' | 'sightings'
>;

type Writable<T> = { -readonly [Key in keyof T]: T[Key] };
type Lists = { [Key in keyof Told]: Told[Key][number][] };

/** Puts together what belongs together: a handler's start and its end, a tenure's beginning and its end. */
export function readIncarnation(process: Incarnation, entries: readonly Entry[]): Told {
  const { incarnation } = process;
  const told: Lists = {
    sent: [],
    confirmed: [],
    refused: [],
    handlings: [],
    tenures: [],
    closings: [],
    lags: [],
    sightings: [],
  };
  const tenures = new Map<number, Writable<Tenure>>();
  const handlings = new Map<string, Writable<Handling>>();
  let closing: Writable<Closing> | undefined;

  const endTenure = (partition: number, until: number, how: NonNullable<Tenure['how']>): void => {
    const tenure = tenures.get(partition);
    if (tenure === undefined) return;
    tenures.delete(partition);
    Object.assign(tenure, { until, how });
  };

  for (const entry of entries) {
    const { at } = entry;
    switch (entry.type) {
      case 'hello':
        break;
      case 'lag':
        told.lags.push({ incarnation, at, millis: entry.millis });
        break;
      case 'send':
        told.sent.push({ incarnation, at, key: entry.key, n: entry.n });
        break;
      case 'confirmed': {
        const { key, n, partition, id } = entry;
        told.confirmed.push({ incarnation, at, key, n, partition, id });
        break;
      }
      case 'refused': {
        const { key, n, code, fate } = entry;
        told.refused.push({ incarnation, at, key, n, code, fate });
        break;
      }
      case 'acquired': {
        const { partition, epoch } = entry;
        const tenure = { incarnation, partition, epoch, from: at, until: undefined, how: undefined };
        tenures.set(partition, tenure);
        told.tenures.push(tenure);
        break;
      }
      case 'released':
        endTenure(entry.partition, at, 'released');
        break;
      case 'lost':
        endTenure(entry.partition, at, entry.refusal === 'NOGROUP' ? 'ungrouped' : 'lost');
        break;
      case 'start': {
        const { partition, id, epoch, attempt, called } = entry;
        const handling = {
          ...{ incarnation, partition, id, epoch, attempt, called },
          ...{ start: at, end: undefined, result: undefined, aborted: false },
        };
        handlings.set(callOf(entry), handling);
        told.handlings.push(handling);
        break;
      }
      case 'end': {
        // A batch handler puts off messages that it never began with.
        const { result, aborted } = entry;
        if (result === 'again') break;
        Object.assign(handlings.get(callOf(entry)) ?? {}, { end: at, result, aborted });
        handlings.delete(callOf(entry));
        break;
      }
      case 'closing':
        closing = { incarnation, at, budget: entry.budget, took: undefined, abandoned: 0, unreleased: 0 };
        told.closings.push(closing);
        break;
      case 'closed': {
        const { took, abandoned, unreleased } = entry;
        Object.assign(closing ?? {}, { took, abandoned, unreleased });
        break;
      }
      case 'corrupt':
        told.sightings.push({
          promise: 'nothing is lost',
          at,
          what: `${incarnation} got ${placeOf(entry)}: ${entry.what}`,
        });
        break;
      case 'gone':
        told.sightings.push({
          promise: 'nothing is lost',
          at,
          what: `${incarnation} found entries of partition ${entry.partition} gone: ${entry.ids.join(' ')}`,
        });
    }
  }
  const { killedAt, endedAt } = process;
  for (const partition of [...tenures.keys()]) {
    if (killedAt !== undefined) endTenure(partition, killedAt, 'killed');
    else if (endedAt !== undefined) endTenure(partition, endedAt, 'ended');
  }
  return told;
}

function callOf(entry: Position & { readonly epoch: number }): string {
  return `${placeOf(entry)} ${entry.epoch}`;
}

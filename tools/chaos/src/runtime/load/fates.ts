import { hash } from '../../seed/hash.ts';

/** Where user code throws. */
export type Place = 'map' | 'count' | 'session' | 'timer' | 'window' | 'sink';

const PER_MILLE = 1_000;
/** Of a thousand records, so many throw on their way: 50 altogether. */
const OF_RECORDS = { map: 15, count: 20, session: 15 } as const;
/** Of a thousand timers, firings of windows, and calls of a sink. */
const OF_OTHERS = 20;

/** Whether it throws there, the first time in each process that comes to it. */
export function throwsOnce(seed: number, place: Place, what: string | number): boolean {
  const chance = hash(
    seed,
    place === 'map' || place === 'count' || place === 'session' ? 'record' : place,
    what,
  );
  const roll = chance % PER_MILLE;
  switch (place) {
    case 'map':
      return roll < OF_RECORDS.map;
    case 'count':
      return roll >= OF_RECORDS.map && roll < OF_RECORDS.map + OF_RECORDS.count;
    case 'session':
      return roll >= OF_RECORDS.map + OF_RECORDS.count && roll < 50;
    case 'timer':
    case 'window':
    case 'sink':
      return roll < OF_OTHERS;
  }
}

import { floorMod } from '../floor-mod.ts';

/**
 * The first multiple of `interval` after `time`, counted from 1970-01-01T00:00Z. `Infinity`, so never, where that is
 * no exact number: near ±2^53 and for the ends of time.
 */
export function nextMultiple(time: number, interval: number): number {
  const next = time - floorMod(time, interval) + interval;
  return Number.isSafeInteger(next) ? next : Infinity;
}

import type { AggregateFunction } from '@rs/core';
import type { Flight } from './flight.ts';

/** What is known about the flights of a window; delays in minutes. */
export interface Delays {
  readonly flights: number;
  readonly totalDelay: number;
  readonly maxDelay: number;
}

/** Counts flights and adds up their delays; sums instead of means, so that sessions can be merged exactly. */
export const collectDelays: AggregateFunction<Flight, Delays, Delays> = {
  createAccumulator: () => ({ flights: 0, totalDelay: 0, maxDelay: -Infinity }),
  add: ({ delay }, { flights, totalDelay, maxDelay }) => ({
    flights: flights + 1,
    totalDelay: totalDelay + delay,
    maxDelay: Math.max(maxDelay, delay),
  }),
  getResult: (delays) => delays,
  merge: mergeDelays,
};

export function mergeDelays(a: Delays, b: Delays): Delays {
  return {
    flights: a.flights + b.flights,
    totalDelay: a.totalDelay + b.totalDelay,
    maxDelay: Math.max(a.maxDelay, b.maxDelay),
  };
}

export function meanDelay(delays: Delays): number {
  return delays.totalDelay / delays.flights;
}

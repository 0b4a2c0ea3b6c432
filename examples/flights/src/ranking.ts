import { type Delays, meanDelay, mergeDelays } from './delays.ts';
import type { WindowDelays } from './job.ts';
import type { DelayAlert } from './rising-delays.ts';

export const RANKING = {
  /** Airports shown. */
  airports: 10,
  /** An airport with fewer flights in windows is left out: its mean says little. */
  minFlights: 20,
  /** Alerts shown. */
  alerts: 5,
} as const;

export interface AirportDelays extends Delays {
  readonly origin: string;
}

/** The airports with the longest mean delay, longest first; ties by code. A flight counts once per window it is in. */
export function rankAirports(windows: readonly WindowDelays[]): AirportDelays[] {
  const airports = new Map<string, Delays>();
  for (const window of windows) {
    const known = airports.get(window.origin);
    airports.set(window.origin, known === undefined ? window : mergeDelays(known, window));
  }
  return [...airports]
    .map(([origin, { flights, totalDelay, maxDelay }]) => ({ origin, flights, totalDelay, maxDelay }))
    .filter(({ flights }) => flights >= RANKING.minFlights)
    .sort((a, b) => meanDelay(b) - meanDelay(a) || (a.origin < b.origin ? -1 : 1))
    .slice(0, RANKING.airports);
}

/** The alerts with the longest last delay, longest first; ties in their order. */
export function worstAlerts(alerts: readonly DelayAlert[]): DelayAlert[] {
  const last = ({ delays }: DelayAlert): number => delays.at(-1) ?? 0;
  return [...alerts].sort((a, b) => last(b) - last(a)).slice(0, RANKING.alerts);
}

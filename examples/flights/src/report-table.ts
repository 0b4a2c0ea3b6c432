import Table from 'cli-table3';
import type { Colors } from 'picocolors/types';
import type { AirportNames } from './airports.ts';
import { meanDelay } from './delays.ts';
import { formatCount, formatCountOf, formatDuration } from './format.ts';
import { RANKING, rankAirports } from './ranking.ts';
import type { Results } from './results.ts';
import type { Windowing } from './windowing.ts';

export interface TableContext {
  readonly windowing: Windowing;
  /** Milliseconds. */
  readonly outOfOrderness: number;
  readonly airportNames: AirportNames;
  readonly colors: Colors;
}

/** The airports with the longest mean delay, for people. */
export function tableReport(results: Results, context: TableContext): string {
  const { airportNames, colors } = context;
  const summary = [
    colors.bold(`Delays of flights by airport, ${describe(context.windowing)}`),
    `${formatCountOf(results.records, 'flight')} read, out of order by up to ` +
      `${formatDuration(context.outOfOrderness)}; ${formatCount(results.late)} late; ` +
      formatCountOf(results.windows.length, 'window'),
  ];
  const airports = rankAirports(results.windows);
  if (airports.length === 0) {
    return [...summary, '', `No airport has ${RANKING.minFlights} flights in its windows.`, ''].join('\n');
  }
  const table = new Table({
    head: ['', 'airport', 'flights', 'mean delay', 'max delay'].map(colors.bold),
    colAligns: ['right', 'left', 'right', 'right', 'right'],
    // No colours of its own: they would ignore NO_COLOR.
    style: { head: [], border: [], compact: true },
  });
  airports.forEach((airport, i) => {
    const { origin, flights, maxDelay } = airport;
    table.push([
      i + 1,
      `${airportNames.get(origin) ?? 'unknown'} (${origin})`,
      formatCount(flights),
      `${meanDelay(airport).toFixed(1)} min`,
      `${formatCount(maxDelay)} min`,
    ]);
  });
  const title = `Longest mean delay, of the airports with at least ${RANKING.minFlights} flights in their windows:`;
  return [...summary, '', title, table.toString(), ''].join('\n');
}

function describe(windowing: Windowing): string {
  switch (windowing.kind) {
    case 'tumbling':
      return `windows of ${formatDuration(windowing.size)}`;
    case 'sliding':
      return `windows of ${formatDuration(windowing.size)} every ${formatDuration(windowing.slide)}`;
    case 'session':
      return `sessions that end after ${formatDuration(windowing.gap)} without a flight`;
  }
}

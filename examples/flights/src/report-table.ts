import Table from 'cli-table3';
import type { Colors } from 'picocolors/types';
import type { AirportNames } from './airports.ts';
import { meanDelay } from './delays.ts';
import { formatCount, formatCountOf, formatDepartures, formatDuration } from './format.ts';
import { RANKING, rankAirports, worstAlerts } from './ranking.ts';
import type { Results } from './results.ts';
import { ALERT_DELAY, type DelayAlert } from './rising-delays.ts';
import type { Windowing } from './windowing.ts';

export interface TableContext {
  readonly windowing: Windowing;
  /** Milliseconds. */
  readonly outOfOrderness: number;
  readonly airportNames: AirportNames;
  readonly colors: Colors;
}

// No colours of its own: they would ignore NO_COLOR.
const STYLE = { head: [], border: [], compact: true };

/** The airports with the longest mean delay, and the worst alerts where they were asked for, for people. */
export function tableReport(results: Results, context: TableContext): string {
  const summary = [
    context.colors.bold(`Delays of flights by airport, ${describe(context.windowing)}`),
    `${formatCountOf(results.records, 'flight')} read, out of order by up to ` +
      `${formatDuration(context.outOfOrderness)}; ${formatCount(results.late)} late; ` +
      formatCountOf(results.windows.length, 'window'),
  ];
  const alerts = results.alerts === undefined ? [] : ['', ...alertLines(results.alerts, context)];
  return [...summary, '', ...airportLines(results, context), ...alerts, ''].join('\n');
}

function airportLines({ windows }: Results, context: TableContext): string[] {
  const { colors } = context;
  const airports = rankAirports(windows);
  if (airports.length === 0) return [`No airport has ${RANKING.minFlights} flights in its windows.`];
  const table = new Table({
    head: ['', 'airport', 'flights', 'mean delay', 'max delay'].map(colors.bold),
    colAligns: ['right', 'left', 'right', 'right', 'right'],
    style: STYLE,
  });
  airports.forEach((airport, i) => {
    const { origin, flights, maxDelay } = airport;
    table.push([
      i + 1,
      named(origin, context),
      formatCount(flights),
      `${meanDelay(airport).toFixed(1)} min`,
      `${formatCount(maxDelay)} min`,
    ]);
  });
  const title = `Longest mean delay, of the airports with at least ${RANKING.minFlights} flights in their windows:`;
  return [title, table.toString()];
}

function alertLines(alerts: readonly DelayAlert[], context: TableContext): string[] {
  const { colors } = context;
  const what = `three departures in a row with longer and longer delays, the last above ${ALERT_DELAY} min`;
  if (alerts.length === 0) return [`No alerts: nowhere were there ${what}.`];
  const table = new Table({
    head: ['airport', 'scheduled departures', 'delays'].map(colors.bold),
    colAligns: ['left', 'left', 'right'],
    style: STYLE,
  });
  for (const { origin, times, delays } of worstAlerts(alerts)) {
    table.push([
      named(origin, context),
      formatDepartures(times),
      `${delays.map(formatCount).join(', ')} min`,
    ]);
  }
  return [`${formatCountOf(alerts.length, 'alert')}: ${what}. The worst:`, table.toString()];
}

function named(origin: string, { airportNames }: TableContext): string {
  return `${airportNames.get(origin) ?? 'unknown'} (${origin})`;
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

import Table from 'cli-table3';
import type { Colors } from 'picocolors/types';
import type { Alert } from './alert.ts';
import type { FraudData } from './data/generate.ts';
import { formatCount, formatCountOf, formatEvent, formatTime } from './format.ts';
import { outcomeOf } from './outcome.ts';
import type { Results } from './results.ts';
import { RULE_NAMES } from './rules.ts';

/** Alerts that are listed. */
export const MAX_LISTED = 40;

// No colours of its own: they would ignore NO_COLOR.
const STYLE = { head: [], border: [], compact: true };
/** All columns fit into 110. */
const EVENTS_WIDTH = 56;

export interface TableContext {
  readonly data: Pick<FraudData, 'frauds' | 'lookAlikes'>;
  /** Whether a job has found it, or matchers alone. */
  readonly asJob: boolean;
  readonly colors: Colors;
}

/** What was found by rule, and the alerts, for people. */
export function tableReport({ events, late, alerts }: Results, context: TableContext): string {
  const { data, asJob, colors } = context;
  const { found, falseAlerts } = outcomeOf(alerts, data.frauds);
  const rest = alerts.length - MAX_LISTED;
  return [
    colors.bold(
      `Fraud in ${formatCountOf(events, 'event')}, found ${asJob ? 'by a job' : 'by matchers alone'}`,
    ),
    `${formatCount(late)} late; ${formatCountOf(alerts.length, 'alert')}: ${found.length} of ` +
      `${formatCountOf(data.frauds.length, 'planted fraud')}, ${formatCount(falseAlerts.length)} false; ` +
      `${formatCountOf(data.lookAlikes.length, 'look-alike')} planted too`,
    '',
    ruleTable(alerts, context),
    ...(alerts.length === 0 ? [] : ['', alertTable(alerts.slice(0, MAX_LISTED), colors)]),
    ...(rest > 0 ? [`and ${formatCount(rest)} more, which --json has`] : []),
    '',
  ].join('\n');
}

function ruleTable(alerts: readonly Alert[], { data, colors }: TableContext): string {
  const { found, missed, falseAlerts } = outcomeOf(alerts, data.frauds);
  const table = new Table({
    head: ['rule', 'found', 'missed', 'false'].map(colors.bold),
    colAligns: ['left', 'right', 'right', 'right'],
    style: STYLE,
  });
  for (const name of RULE_NAMES) {
    const counts = [found, missed, falseAlerts].map(
      (list: readonly { readonly rule: string }[]) => list.filter(({ rule }) => rule === name).length,
    );
    table.push([name, ...counts.map(formatCount)]);
  }
  return table.toString();
}

function alertTable(alerts: readonly Alert[], colors: Colors): string {
  const table = new Table({
    head: ['rule', 'account', 'began', 'events'].map(colors.bold),
    colWidths: [null, null, null, EVENTS_WIDTH],
    wordWrap: true,
    style: STYLE,
  });
  for (const { rule, account, start, events } of alerts) {
    table.push([rule, account, formatTime(start), events.map(formatEvent).join(', ')]);
  }
  return table.toString();
}

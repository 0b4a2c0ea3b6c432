import type { Results } from './results.ts';

/** One JSON document; of the events of an alert their ids. */
export function jsonReport({ events, late, alerts }: Results): string {
  const rows = alerts.map(({ rule, account, start, end, events: held }) => ({
    rule,
    account,
    start,
    end,
    events: held.map(({ id }) => id),
  }));
  return `${JSON.stringify({ events, late, alerts: rows })}\n`;
}

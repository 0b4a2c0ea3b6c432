import type { Alert } from './alert.ts';
import type { PlantedFraud } from './data/generate.ts';

/** What the rules made of what was planted. */
export interface Outcome {
  readonly found: readonly PlantedFraud[];
  readonly missed: readonly PlantedFraud[];
  /** Alerts that are no planted fraud. */
  readonly falseAlerts: readonly Alert[];
}

/** An alert is right when it is of the planted rule and account, and holds the planted events and no others. */
export function outcomeOf(alerts: readonly Alert[], frauds: readonly PlantedFraud[]): Outcome {
  const told = new Set(alerts.map(keyOfAlert));
  const planted = new Set(frauds.map(keyOf));
  return {
    found: frauds.filter((fraud) => told.has(keyOf(fraud))),
    missed: frauds.filter((fraud) => !told.has(keyOf(fraud))),
    falseAlerts: alerts.filter((alert) => !planted.has(keyOfAlert(alert))),
  };
}

function keyOfAlert({ rule, account, events }: Alert): string {
  return keyOf({ rule, account, events: events.map(({ id }) => id) });
}

function keyOf({ rule, account, events }: PlantedFraud): string {
  return [rule, account, ...events].join(' ');
}

import type { Match } from '@rs/cep';
import type { AccountEvent } from './account-event.ts';
import type { RuleName } from './rules.ts';

/** A rule has found something in an account. */
export interface Alert {
  readonly rule: RuleName;
  readonly account: string;
  /** Times of the first and the last event in epoch milliseconds. */
  readonly start: number;
  readonly end: number;
  readonly events: readonly AccountEvent[];
}

export function alertOf(rule: RuleName, account: string, match: Match<AccountEvent, object>): Alert {
  const { start, end, sequence } = match;
  return { rule, account, start, end, events: sequence };
}

/** By start, account and rule. A rule does not tell of one event twice, so nothing is left to chance. Sorts in place. */
export function inOrder(alerts: Alert[]): Alert[] {
  return alerts.sort(
    (a, b) => a.start - b.start || compareText(a.account, b.account) || compareText(a.rule, b.rule),
  );
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}

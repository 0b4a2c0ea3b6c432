import { PatternMatcher } from '@rs/cep';
import { type AccountEvent, byTime } from './account-event.ts';
import { type Alert, alertOf, inOrder } from './alert.ts';
import type { Results } from './results.ts';
import { RULE_NAMES, RULES, type RuleName } from './rules.ts';

type Matcher = PatternMatcher<AccountEvent, object>;

/** Finds fraud with nothing but matchers, one for each account and rule. The events may come in any order: they are sorted first. */
export function findAlone(
  events: readonly AccountEvent[],
  onProgress: (events: number) => void = () => undefined,
): Results {
  const accounts = new Map<string, AccountMatchers>();
  const alerts: Alert[] = [];
  [...events].sort(byTime).forEach((event, i) => {
    onProgress(i + 1);
    let account = accounts.get(event.account);
    if (account === undefined) accounts.set(event.account, (account = new AccountMatchers(event.account)));
    alerts.push(...account.process(event));
  });
  for (const account of accounts.values()) alerts.push(...account.flush());
  return { events: events.length, late: 0, alerts: inOrder(alerts) };
}

class AccountMatchers {
  readonly #account: string;
  readonly #matchers: readonly (readonly [RuleName, Matcher])[];

  constructor(account: string) {
    this.#account = account;
    this.#matchers = RULE_NAMES.map((rule) => [rule, new PatternMatcher(RULES[rule])] as const);
  }

  process(event: AccountEvent): Alert[] {
    return this.#alerts((matcher) => matcher.process(event, event.at));
  }

  /** No event comes any more: what has not followed by now does not follow. */
  flush(): Alert[] {
    return this.#alerts((matcher) => matcher.flush());
  }

  #alerts(matchesOf: (matcher: Matcher) => ReturnType<Matcher['flush']>): Alert[] {
    return this.#matchers.flatMap(([rule, matcher]) =>
      matchesOf(matcher).map((match) => alertOf(rule, this.#account, match)),
    );
  }
}

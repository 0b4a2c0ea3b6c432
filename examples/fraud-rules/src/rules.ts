import { Pattern, type PatternLike } from '@rs/cep';
import {
  type AccountEvent,
  isConfirmation,
  isLogin,
  isPasswordChange,
  isPayment,
  type Payment,
} from './account-event.ts';

/** The limits that the rules go by; amounts in cents. */
export const LIMITS = {
  /** A payment below it is small. */
  small: 500,
  /** A payment from it on is large. */
  large: 30_000,
  /** By how much payments grow that are told of. */
  growth: 1.5,
} as const;

/**
 * Somebody tries whether a stolen card works, and then uses it: three small payments or more, then a large one, within ten
 * minutes.
 */
const cardTesting = Pattern.of<AccountEvent>()
  .begin('trials', isPayment)
  .where(({ cents }) => cents < LIMITS.small)
  .timesOrMore(3)
  .greedy() // takes them all: without it, three of four would wait for a large one as well
  .followedBy('large', isPayment)
  .where(({ cents }) => cents >= LIMITS.large)
  .within('10m')
  .skipPastLastEvent();

/**
 * Somebody takes an account over: a login from a new country, a changed password, and within 15 minutes the owner has confirmed
 * nothing.
 */
const takeover = Pattern.of<AccountEvent>()
  .begin('login', isLogin)
  .where(({ newCountry }) => newCountry)
  .notFollowedBy(isConfirmation)
  .followedBy('change', isPasswordChange)
  .notFollowedBy(isConfirmation) // at the end of a pattern: found when the time is over, without another event
  .within('15m')
  .skipPastLastEvent();

/**
 * Somebody feels for the limit of a card: four payments one after the other, each half as large again as the one before, or more,
 * within an hour. What else happens between does not matter.
 */
const risingAmounts = Pattern.of<AccountEvent>()
  .begin('payments', isPayment)
  .where((payment, context) => grows(payment, context.last('payments')))
  .timesOrMore(4)
  .until((event, context) => isPayment(event) && !grows(event, context.last('payments'))) // or they would be skipped
  .within('1h')
  .skipPastLastEvent();

/** Nobody travels that fast: two logins from different countries within an hour, and nothing happens between them. */
const impossibleTravel = Pattern.of<AccountEvent>()
  .begin('here', isLogin)
  .next('there', (event, context) => isLogin(event) && event.country !== context.last('here')?.country)
  .within('1h')
  .skipPastLastEvent();

export type RuleName = 'card-testing' | 'takeover' | 'rising-amounts' | 'impossible-travel';

/** By name, which alerts carry. */
export const RULES: Readonly<Record<RuleName, PatternLike<AccountEvent, object>>> = {
  'card-testing': cardTesting,
  takeover,
  'rising-amounts': risingAmounts,
  'impossible-travel': impossibleTravel,
};

export const RULE_NAMES = Object.keys(RULES) as RuleName[];

/** Whether a payment is enough above the one before; the first one is. */
function grows({ cents }: Payment, before: Payment | undefined): boolean {
  return before === undefined || cents >= LIMITS.growth * before.cents;
}

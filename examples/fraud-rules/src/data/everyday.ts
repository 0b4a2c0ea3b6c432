import type { Random } from './random.ts';
import { confirmation, DAY, HOUR, login, MINUTE, passwordChange, pay, type Step } from './step.ts';

export interface Habits {
  readonly home: string;
  /** Where the owner is for some days. */
  readonly trip: { readonly country: string; readonly from: number; readonly to: number } | undefined;
  /** Visits in a day, on average. */
  readonly visitsPerDay: number;
}

/** From the beginning of a visit, which is over after 40 minutes, to that of the next one. */
const VISIT_DISTANCE = 2 * HOUR;
/** How many payments a visit has, one as likely as the other. Never four, and visits are more than an hour from each other. */
const PAYMENTS = [0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3];
/** Median of payments, in cents. */
const USUAL = 2_400;
/** When people are awake. */
const DAYTIME = [7, 23] as const;

export interface Period {
  readonly start: number;
  readonly days: number;
}

/** What an honest owner does; nothing of it is fraud to any rule. */
export function everyday(
  random: Random,
  habits: Habits,
  period: Period,
  isFree: (start: number) => boolean,
): Step[] {
  const steps: Step[] = [];
  let earliest = -Infinity;
  for (let day = 0; day < period.days; day++) {
    const starts = Array.from({ length: visitsOf(random, habits.visitsPerDay) }, () => {
      const hour = DAYTIME[0] + (DAYTIME[1] - DAYTIME[0]) * random.next();
      return Math.round(period.start + day * DAY + hour * HOUR);
    }).sort((a, b) => a - b);
    for (const start of starts) {
      if (start < earliest || !isFree(start)) continue;
      earliest = start + VISIT_DISTANCE;
      steps.push(...visit(random, habits, start));
    }
  }
  return steps;
}

function visitsOf(random: Random, average: number): number {
  return Math.max(0, Math.round(average + random.bell() * Math.sqrt(average)));
}

function visit(random: Random, { home, trip }: Habits, start: number): Step[] {
  const away = trip !== undefined && trip.from <= start && start < trip.to;
  const country = away ? trip.country : home;
  const steps: Step[] = [{ at: start, action: login(country) }];
  const later = (minutes: number): number => Math.round(start + minutes * MINUTE);
  // From abroad only what is confirmed.
  if (away) steps.push({ at: later(0.5), action: confirmation });
  else if (random.chance(0.02)) {
    steps.push({ at: later(1 + random.next()), action: passwordChange });
    if (random.chance(0.6)) steps.push({ at: later(3 + random.next()), action: confirmation });
  }
  const payments = random.pick(PAYMENTS);
  for (let i = 0; i < payments; i++) {
    const cents = Math.max(50, USUAL * Math.exp(1.4 * random.bell()));
    steps.push({ at: later(2 + i * 12 + random.next() * 10), action: pay(cents) });
  }
  return steps;
}

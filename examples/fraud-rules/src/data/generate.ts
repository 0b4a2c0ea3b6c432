import type { AccountEvent } from '../account-event.ts';
import type { RuleName } from '../rules.ts';
import { accountHistory } from './account-history.ts';
import { cast, type CastScene } from './cast.ts';
import type { Period } from './everyday.ts';
import { Random } from './random.ts';

export interface GenerateOptions {
  readonly accounts: number;
  readonly seed: number;
}

export interface FraudData {
  /** In the order of their arrival. */
  readonly events: readonly AccountEvent[];
  /** What the rules must find, and nothing else. */
  readonly frauds: readonly PlantedFraud[];
  readonly lookAlikes: readonly LookAlike[];
}

interface Planted {
  readonly account: string;
  /** Ids, in the order of time. */
  readonly events: readonly string[];
}

/** A fraud that was put among the events. */
export interface PlantedFraud extends Planted {
  readonly rule: RuleName;
}

/** What was put among the events although it is no fraud. */
export interface LookAlike extends Planted {
  readonly name: string;
}

/** An event arrives less than that after it has happened, in milliseconds. */
export const MAX_DELAY = 8_000;

const PERIOD: Period = { start: Date.UTC(2024, 0, 8), days: 14 };

/**
 * Two weeks of accounts whose owners log in and pay, among that frauds and what looks like it. The same for the same options.
 * Ids are given in the order of time.
 */
export function generate({ accounts, seed }: GenerateOptions): FraudData {
  const random = new Random(seed);
  const scenes = new Map<CastScene, { account: string; events: string[] }>();
  const events = cast(random, accounts)
    .flatMap((ofAccount, i) => {
      const account = `acc-${padded(i + 1, 4)}`;
      return accountHistory(random, PERIOD, ofAccount).map((happening) => ({ account, ...happening }));
    })
    .sort((a, b) => a.at - b.at)
    .map(({ account, at, details, scene }, i): AccountEvent => {
      const id = `e-${padded(i + 1, 6)}`;
      if (scene !== undefined) {
        const planted = scenes.get(scene) ?? { account, events: [] };
        planted.events.push(id);
        scenes.set(scene, planted);
      }
      return { id, account, at, ...details };
    });
  return {
    events: inArrivalOrder(random, events),
    frauds: [...scenes].flatMap(([{ rule }, planted]) => (rule === undefined ? [] : [{ rule, ...planted }])),
    lookAlikes: [...scenes].flatMap(([{ name, rule }, planted]) =>
      rule === undefined ? [{ name, ...planted }] : [],
    ),
  };
}

/** Most events arrive at once, some after seconds. */
function inArrivalOrder(random: Random, events: readonly AccountEvent[]): AccountEvent[] {
  return events
    .map((event) => ({ event, arrival: event.at + Math.floor(random.next() ** 4 * MAX_DELAY) }))
    .sort((a, b) => a.arrival - b.arrival)
    .map(({ event }) => event);
}

function padded(count: number, digits: number): string {
  return String(count).padStart(digits, '0');
}

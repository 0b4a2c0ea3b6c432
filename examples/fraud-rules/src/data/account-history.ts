import type { CastScene } from './cast.ts';
import { everyday, type Period } from './everyday.ts';
import type { Random } from './random.ts';
import { SCENE_LENGTH } from './scenes.ts';
import { type Action, DAY, HOUR, type Step } from './step.ts';

/** What has happened in an account. */
export interface Happening {
  readonly at: number;
  readonly details: Details;
  /** The scene that it is a part of, and not aside. */
  readonly scene: CastScene | undefined;
}

/** An event without what all events have. */
export type Details =
  | { readonly kind: 'login'; readonly country: string; readonly newCountry: boolean }
  | Exclude<Action, { readonly kind: 'login' }>;

interface PlacedScene {
  readonly scene: CastScene;
  readonly start: number;
}

type UnseenStep = Step & Pick<Happening, 'scene'>;

/** An account has one scene at most in so much time. */
const SLOT = 8 * HOUR;
/** Before and behind a scene no visit begins for so long: then no rule takes in events of both. */
const QUIET = 2 * HOUR;
const HOMES = [
  'US',
  'US',
  'US',
  'GB',
  'GB',
  'DE',
  'DE',
  'FR',
  'FR',
  'ES',
  'IT',
  'NL',
  'BE',
  'CH',
  'AT',
  'SE',
];
const ABROAD = (
  'CA MX BR AR CL NO DK FI PL CZ PT IE GR RO HU BG TR UA IL EG MA NG KE ZA IN CN JP KR SG TH VN ID PH AU NZ ' +
  'GE AM RS HR'
).split(' ');

/** Two weeks of an owner's everyday life, and the scenes, in the order of time. */
export function accountHistory(random: Random, period: Period, scenes: readonly CastScene[]): Happening[] {
  const home = random.pick(HOMES);
  const abroad = random.shuffled(ABROAD);
  const placed = place(random, period, scenes);
  const isFree = (time: number): boolean =>
    placed.every(({ start }) => time < start - QUIET || time >= start + SCENE_LENGTH + QUIET);
  const habits = {
    home,
    trip: random.chance(0.2) ? tripTo(random, period, next(abroad)) : undefined,
    visitsPerDay: 2.6 * Math.exp(random.bell() / 2),
  };
  const usual = everyday(random, habits, period, isFree).map((step) => ({ ...step, scene: undefined }));
  const staged = placed.flatMap(({ scene, start }) =>
    scene.scene({ random, home, abroad: next(abroad) }).map(({ after, action, aside }): UnseenStep => ({
      at: Math.round(start + after),
      action,
      scene: aside === true ? undefined : scene,
    })),
  );
  return seen(
    [...usual, ...staged].sort((a, b) => a.at - b.at),
    home,
  );
}

function place(random: Random, { start, days }: Period, scenes: readonly CastScene[]): PlacedScene[] {
  const slots = random.shuffled(Array.from({ length: (days * DAY) / SLOT }, (_, i) => start + i * SLOT));
  return scenes.map((scene, i) => ({
    scene,
    start: (slots[i] ?? NaN) + QUIET + random.integer(0, SLOT - 2 * QUIET - SCENE_LENGTH),
  }));
}

function tripTo(random: Random, { start, days }: Period, country: string) {
  const from = start + random.integer(1, days - 2) * DAY;
  return { country, from, to: from + random.integer(2, 6) * DAY };
}

/** There are more countries than one account has scenes. */
function next(countries: string[]): string {
  return countries.pop() as string;
}

/** Adds whether a country is new. */
function seen(steps: readonly UnseenStep[], home: string): Happening[] {
  const countries = new Set([home]);
  return steps.map(({ at, action, scene }) => {
    if (action.kind !== 'login') return { at, details: action, scene };
    const newCountry = !countries.has(action.country);
    countries.add(action.country);
    return { at, details: { ...action, newCountry }, scene };
  });
}

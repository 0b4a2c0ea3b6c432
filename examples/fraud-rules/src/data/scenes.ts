import { LIMITS, type RuleName } from '../rules.ts';
import type { Random } from './random.ts';
import { type Action, confirmation, login, MINUTE, passwordChange, pay } from './step.ts';

/** One action of a scene. */
export interface SceneStep {
  /** Milliseconds after the first action. */
  readonly after: number;
  readonly action: Action;
  /** It happens besides: an alert does not hold it. */
  readonly aside?: boolean;
}

export interface Stage {
  readonly random: Random;
  readonly home: string;
  /** A country that the account has not been used from. */
  readonly abroad: string;
}

/** What happens to an account within an hour and a bit. */
export type Scene = (stage: Stage) => SceneStep[];

/** Longest a scene can be. */
export const SCENE_LENGTH = 75 * MINUTE;

const step = (minutes: number, action: Action): SceneStep => ({ after: minutes * MINUTE, action });
const aside = (minutes: number, action: Action): SceneStep => ({ ...step(minutes, action), aside: true });

/** Too much alike to be rising amounts. */
const trial = ({ random }: Stage): Action => pay(random.integer(95, 120));
const large = ({ random }: Stage): Action => pay(LIMITS.large + random.integer(0, 60_000));
/** `count` payments of which each is so many times the one before. */
function rising({ random }: Stage, count: number, [min, max]: readonly [number, number]): Action[] {
  let cents = random.integer(1_000, 3_000);
  return Array.from({ length: count }, () => {
    const payment = pay(cents);
    cents *= min + random.next() * (max - min);
    return payment;
  });
}

/** One for each rule, which finds in it what is not aside, and nothing else. */
export const FRAUDS: Readonly<Record<RuleName, Scene>> = {
  'card-testing': (stage) => {
    const count = stage.random.integer(3, 7);
    return [
      ...Array.from({ length: count }, (_, i) => step(i * 0.8 + stage.random.next() / 2, trial(stage))),
      aside(count * 0.8, login(stage.home)),
      step(count * 0.8 + 1 + stage.random.next(), large(stage)),
    ];
  },
  takeover: (stage) => [
    step(0, login(stage.abroad)),
    step(1 + stage.random.next() * 12, passwordChange),
    aside(16 + stage.random.next() * 10, large(stage)),
    aside(40, confirmation),
  ],
  'rising-amounts': (stage) => {
    const gap = 2 + stage.random.next() * 15;
    return [
      ...rising(stage, 4, [1.55, 2.4]).map((payment, i) => step(i * gap, payment)),
      aside(gap * 1.5, login(stage.home)),
    ];
  },
  'impossible-travel': (stage) => [
    step(0, login(stage.home)),
    step(2 + stage.random.next() * 55, login(stage.abroad)),
  ],
};

/** What looks like fraud, and is none to any rule. */
export const LOOK_ALIKES: Readonly<Record<string, Scene>> = {
  'two small payments before a large one': (stage) => [
    step(0, trial(stage)),
    step(1, trial(stage)),
    step(2, large(stage)),
  ],
  'a large payment exactly ten minutes after the first of three small ones': (stage) => [
    step(0, trial(stage)),
    step(1, trial(stage)),
    step(2, trial(stage)),
    step(10, large(stage)),
  ],
  'small payments before one that is not quite large': (stage) => [
    ...[0, 1, 2, 3].map((minutes) => step(minutes, trial(stage))),
    step(4, pay(LIMITS.large - 1)),
  ],
  'a password changed abroad, which the owner confirms': (stage) => [
    step(0, login(stage.abroad)),
    step(4, passwordChange),
    step(5 + stage.random.next() * 9, confirmation),
  ],
  'a login abroad, confirmed before the password is changed': (stage) => [
    step(0, login(stage.abroad)),
    step(2, confirmation),
    step(4 + stage.random.next() * 9, passwordChange),
  ],
  'a password changed at home': (stage) => [step(0, login(stage.home)), step(3, passwordChange)],
  'a password changed a quarter of an hour after a login abroad': (stage) => [
    step(0, login(stage.abroad)),
    step(15 + stage.random.next() * 10, passwordChange),
  ],
  'rising amounts with a smaller one between': (stage) => {
    const [first, second, third, last] = rising(stage, 4, [1.55, 2.4]) as [Action, Action, Action, Action];
    return [step(0, first), step(5, second), step(10, pay(900)), step(15, third), step(20, last)];
  },
  'rising amounts, the last exactly an hour after the first': (stage) =>
    rising(stage, 4, [1.55, 2.4]).map((payment, i) => step(i * 20, payment)),
  'amounts that rise slowly': (stage) =>
    rising(stage, 6, [1.1, 1.4]).map((payment, i) => step(i * 5, payment)),
  'a login abroad exactly an hour after one at home': (stage) => [
    step(0, login(stage.home)),
    step(60, login(stage.abroad)),
  ],
  'a login abroad that the owner confirms beforehand': (stage) => [
    step(0, login(stage.home)),
    step(10, confirmation),
    step(12, login(stage.abroad)),
  ],
  'two logins at home': (stage) => [step(0, login(stage.home)), step(10, login(stage.home))],
};

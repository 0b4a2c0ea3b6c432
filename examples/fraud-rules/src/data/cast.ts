import { RULE_NAMES, type RuleName } from '../rules.ts';
import type { Random } from './random.ts';
import { FRAUDS, LOOK_ALIKES, type Scene } from './scenes.ts';

/** A scene that is put into an account, once. */
export interface CastScene {
  readonly name: string;
  /** The rule that must find it; `undefined` for a look-alike. */
  readonly rule: RuleName | undefined;
  readonly scene: Scene;
}

/** Each scene is there once for so many accounts, and at least once. */
const ACCOUNTS_PER_SCENE = 50;

/** @returns the scenes of each account */
export function cast(random: Random, accounts: number): CastScene[][] {
  const copies = Math.max(1, Math.round(accounts / ACCOUNTS_PER_SCENE));
  const scenes = Array.from({ length: copies }, allScenes).flat();
  const result = Array.from({ length: accounts }, (): CastScene[] => []);
  const order = random.shuffled(result);
  scenes.forEach((scene, i) => order[i % accounts]?.push(scene));
  return result;
}

function allScenes(): CastScene[] {
  return [
    ...RULE_NAMES.map((rule) => ({ name: rule, rule, scene: FRAUDS[rule] })),
    ...Object.entries(LOOK_ALIKES).map(([name, scene]) => ({ name, rule: undefined, scene })),
  ];
}

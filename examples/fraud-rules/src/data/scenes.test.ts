import { describe, expect, test } from '@jest/globals';
import type { AccountEvent } from '../account-event.ts';
import { findAlone } from '../find-alone.ts';
import { Random } from './random.ts';
import { FRAUDS, LOOK_ALIKES, type Scene, SCENE_LENGTH } from './scenes.ts';

const SEEDS = Array.from({ length: 50 }, (_, seed) => seed);

interface Played {
  readonly events: readonly AccountEvent[];
  /** Ids of those that are not aside. */
  readonly expected: readonly string[];
}

/** The scene by itself. */
function play(scene: Scene, seed: number): Played {
  const steps = scene({ random: new Random(seed), home: 'US', abroad: 'NG' }).sort(
    (a, b) => a.after - b.after,
  );
  const events = steps.map(({ after, action }, i): AccountEvent => {
    const base = { id: String(i).padStart(3, '0'), account: 'ada', at: Math.round(after) };
    return action.kind === 'login'
      ? { ...base, ...action, newCountry: action.country === 'NG' }
      : { ...base, ...action };
  });
  expect(Math.max(...events.map(({ at }) => at))).toBeLessThan(SCENE_LENGTH);
  return { events, expected: events.filter((_, i) => steps[i]?.aside !== true).map(({ id }) => id) };
}

describe('every fraud is found, by its rule and by no other', () => {
  test.each(Object.entries(FRAUDS))('%s', (rule, scene) => {
    for (const seed of SEEDS) {
      const { events, expected } = play(scene, seed);
      const alerts = findAlone(events).alerts.map((alert) => [alert.rule, alert.events.map(({ id }) => id)]);
      expect(alerts).toEqual([[rule, expected]]);
    }
  });
});

describe('no look-alike is taken for a fraud', () => {
  test.each(Object.entries(LOOK_ALIKES))('%s', (_, scene) => {
    for (const seed of SEEDS) expect(findAlone(play(scene, seed).events).alerts).toEqual([]);
  });
});

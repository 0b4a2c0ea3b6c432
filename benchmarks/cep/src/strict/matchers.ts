import { PatternMatcher } from '@rs/cep';
import type { Step } from './input.ts';
import { abc } from './pattern.ts';
import { Tally } from './tally.ts';

/** A matcher for each key. */
export function findByMatchers(steps: readonly Step[]): Tally {
  const tally = new Tally();
  const make = () => new PatternMatcher(abc);
  const keys = new Map<string, ReturnType<typeof make>>();
  for (const step of steps) {
    let matcher = keys.get(step.key);
    if (matcher === undefined) keys.set(step.key, (matcher = make()));
    for (const { events } of matcher.process(step, step.id)) {
      tally.add(events.a[0], events.b[0], events.c[0]);
    }
  }
  return tally;
}

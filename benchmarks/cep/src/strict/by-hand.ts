import type { Step } from './input.ts';
import { Tally } from './tally.ts';

/** What a key has seen of a sequence: its last events, if they can be the beginning of one. */
interface Progress {
  a: Step | undefined;
  b: Step | undefined;
}

/** The same by hand, as fast as JavaScript allows: a state machine for each key. */
export function findByHand(steps: readonly Step[]): Tally {
  const tally = new Tally();
  const keys = new Map<string, Progress>();
  for (const step of steps) {
    let progress = keys.get(step.key);
    if (progress === undefined) keys.set(step.key, (progress = { a: undefined, b: undefined }));
    if (step.type === 'a') {
      progress.a = step;
      progress.b = undefined;
    } else if (progress.a !== undefined) {
      if (progress.b === undefined && step.type === 'b') {
        progress.b = step;
      } else {
        if (progress.b !== undefined && step.type === 'c') tally.add(progress.a, progress.b, step);
        progress.a = undefined;
        progress.b = undefined;
      }
    }
  }
  return tally;
}

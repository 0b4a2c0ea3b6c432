import { bufferCount, filter, from, groupBy, mergeMap, type Observable, scan } from 'rxjs';
import type { Step } from './input.ts';
import { Tally } from './tally.ts';

type Steps = readonly (Step | undefined)[];

/** A window of three over the events of each key: what RxJS has for this. */
export function findByBuffers(steps: readonly Step[]): Tally {
  return findInGroups(steps, (group) => group.pipe(bufferCount(3, 1), filter(isSequence)));
}

/** The state machine of each key as a fold: more to write, and what is known to be fastest with RxJS. */
export function findByScan(steps: readonly Step[]): Tally {
  return findInGroups(steps, (group) =>
    group.pipe(
      scan((last: Steps, step) => {
        if (step.type === 'a') return [step];
        const next = step.type === 'b' ? 1 : 2;
        return last.length === next ? [...last, step] : NOTHING;
      }, NOTHING),
      filter((last) => last.length === 3),
    ),
  );
}

const NOTHING: Steps = [];

function isSequence([a, b, c]: Steps): boolean {
  return a?.type === 'a' && b?.type === 'b' && c?.type === 'c';
}

function findInGroups(steps: readonly Step[], find: (group: Observable<Step>) => Observable<Steps>): Tally {
  const tally = new Tally();
  from(steps)
    .pipe(
      groupBy((step) => step.key),
      mergeMap(find),
    )
    .subscribe(([a, b, c]) => tally.add(a, b, c));
  return tally;
}

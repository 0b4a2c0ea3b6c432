import type { Stage } from '../program/program.ts';
import type { Match } from './match.ts';
import type { Run } from './run.ts';

type Events = Record<string, unknown[]>;
/** Matches of a matcher that does not know the types; {@link PatternMatcher} does. */
export type AnyMatch = Match<unknown, Record<string, unknown>>;

/** By stage, what the takes of a chain have bound. */
export function eventsOf(chain: readonly Run[], stages: readonly Stage[]): Events {
  const events: Events = {};
  for (const stage of stages) events[stage.name] = [];
  for (const take of chain) {
    const stage = stages[take.stage];
    if (stage !== undefined) events[stage.name]?.push(take.event.event);
  }
  return events;
}

export function matchOf(run: Run, timestamp: number, stages: readonly Stage[]): AnyMatch {
  const chain = chainOf(run);
  return {
    events: eventsOf(chain, stages),
    sequence: chain.map((take) => take.event.event),
    start: run.first.timestamp,
    end: run.event.timestamp,
    timestamp,
  };
}

/** The takes, the first one first. */
export function chainOf(run: Run | undefined): Run[] {
  if (run === undefined) return [];
  const chain = new Array<Run>(run.length);
  let take: Run | undefined = run;
  for (let i = run.length - 1; take !== undefined; i--, take = take.parent) chain[i] = take;
  return chain;
}

/** The last take of a stage. */
export function lastOf(run: Run | undefined, stage: number): Run | undefined {
  let take = run;
  while (take !== undefined && take.stage !== stage) take = take.before;
  return take;
}

/** What {@link Run.before} is for a take of a stage: loops are jumped over, however long they are. */
export function beforeStage(parent: Run | undefined, stage: number): Run | undefined {
  return parent?.stage === stage ? parent.before : parent;
}

/** The first take of a stage. */
export function firstOf(run: Run | undefined, stage: number): Run | undefined {
  let found: Run | undefined;
  for (let take = run; take !== undefined; take = take.parent) if (take.stage === stage) found = take;
  return found;
}

/**
 * The order of matches: by the positions of their events, and where one run is the beginning of another, the longer one
 * first; for the same events, by their stages.
 */
export function byPositions(a: Run, b: Run): number {
  if (a.first !== b.first) return a.first.seq - b.first.seq;
  const [left, right] = [chainOf(a), chainOf(b)];
  return (
    firstDifference(left, right, (take) => take.event.seq) ||
    firstDifference(left, right, (take) => take.stage)
  );
}

function firstDifference(left: readonly Run[], right: readonly Run[], of: (take: Run) => number): number {
  for (let i = 0; ; i++) {
    const [a, b] = [left[i], right[i]];
    if (a === undefined || b === undefined) return right.length - left.length;
    const difference = of(a) - of(b);
    if (difference !== 0) return difference;
  }
}

import type { WithinScope } from '../pattern/spec.ts';

/** Random patterns as data, from which both the pattern and the oracle are made. */

/** Events of random inputs. `wait` is the time since the one before. */
export interface PlanEvent {
  readonly type: string;
  readonly value: number;
  readonly wait: number;
}

/**
 * `rising`: greater than the event that the run has bound last, to whatever stage. The first one always is, or, where it is
 * `bound`, never.
 */
export interface PlanCondition {
  readonly types: string;
  readonly rising: boolean | 'bound';
}

export type Edge = 'next' | 'followedBy' | 'followedByAny';

interface PlanBase {
  readonly edge: Edge;
  readonly min: number;
  /** 9: without an end. */
  readonly max: number;
  readonly optional: boolean;
  readonly inner: 'relaxed' | 'consecutive' | 'combinations';
  readonly negations: readonly {
    readonly kind: 'notNext' | 'notFollowedBy';
    readonly condition: PlanCondition;
  }[];
}

export interface PlanStage extends PlanBase {
  readonly name: string;
  readonly condition: PlanCondition;
  readonly until: PlanCondition | undefined;
  readonly greedy: boolean;
}

export interface PlanGroup extends PlanBase {
  readonly elements: readonly PlanElement[];
}

export type PlanElement = PlanStage | PlanGroup;

export type PlanSkip =
  'noSkip' | 'skipToNext' | 'skipPastLastEvent' | { readonly to: 'first' | 'last'; readonly stage: string };

export interface Plan {
  readonly elements: readonly PlanElement[];
  readonly within: { readonly millis: number; readonly scope: WithinScope } | undefined;
  readonly skip: PlanSkip;
}

export const ENDLESS = 9;

/** What a condition asks, in words of the plan; `last` is the event that the run has taken last. */
export function meets(condition: PlanCondition, event: PlanEvent, last: PlanEvent | undefined): boolean {
  if (!condition.types.includes(event.type)) return false;
  if (condition.rising === false) return true;
  return last === undefined ? condition.rising === true : event.value > last.value;
}

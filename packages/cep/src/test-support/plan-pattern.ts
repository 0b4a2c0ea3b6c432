import type { ConditionContext } from '../pattern/condition.ts';
import { Pattern, type PatternLike } from '../pattern/pattern.ts';
import type { Plan, PlanCondition, PlanElement, PlanEvent } from './plan.ts';
import { ENDLESS, meets } from './plan.ts';

type Stages = Record<string, PlanEvent>;
/** The builder without its types: names of random patterns are not known to the compiler. */
export type AnyPattern = Pattern<PlanEvent, Stages, string>;

/**
 * The pattern that a plan describes.
 *
 * @param onAsked called whenever a condition is asked; what it throws, the condition throws
 */
export function patternOf(plan: Plan, onAsked: () => void = () => {}): AnyPattern {
  let pattern = sequenceOf(plan.elements, onAsked);
  if (plan.within !== undefined) pattern = pattern.within(plan.within.millis, plan.within.scope);
  if (typeof plan.skip === 'string') return pattern[plan.skip]();
  return plan.skip.to === 'first'
    ? pattern.skipToFirst(plan.skip.stage)
    : pattern.skipToLast(plan.skip.stage);
}

function sequenceOf(elements: readonly PlanElement[], onAsked: () => void): AnyPattern {
  let pattern: AnyPattern | undefined;
  for (const element of elements) {
    pattern = appended(pattern, element, onAsked);
    const unquantified = element.min === 1 && element.max === 1;
    if (element.max === ENDLESS) pattern = pattern.timesOrMore(element.min);
    else if (!unquantified) pattern = pattern.times(element.min, element.max);
    if (element.optional) pattern = pattern.optional();
    if (element.inner === 'consecutive') pattern = pattern.consecutive();
    if (element.inner === 'combinations') pattern = pattern.allowCombinations();
    if ('name' in element) {
      if (element.greedy) pattern = pattern.greedy();
      if (element.until !== undefined) pattern = pattern.until(conditionOf(element.until, onAsked));
    }
    for (const { kind, condition } of element.negations) {
      pattern = pattern[kind](conditionOf(condition, onAsked));
    }
  }
  if (pattern === undefined) throw new Error('a plan has elements');
  return pattern;
}

function appended(pattern: AnyPattern | undefined, element: PlanElement, onAsked: () => void): AnyPattern {
  if ('name' in element) {
    const condition = conditionOf(element.condition, onAsked);
    if (pattern === undefined) return Pattern.of<PlanEvent>().begin(element.name, condition);
    return pattern[element.edge](element.name, condition);
  }
  const group: PatternLike<PlanEvent, Stages> = sequenceOf(element.elements, onAsked);
  if (pattern === undefined) return Pattern.of<PlanEvent>().begin(group);
  return pattern[element.edge](group);
}

function conditionOf(condition: PlanCondition, onAsked: () => void) {
  if (condition.rising === false) {
    return (event: PlanEvent): boolean => {
      onAsked();
      return meets(condition, event, undefined);
    };
  }
  return (event: PlanEvent, context: ConditionContext<Stages>): boolean => {
    onAsked();
    // Looked at only where it matters, so that answers are sometimes good for all runs.
    if (!condition.types.includes(event.type)) return false;
    return meets(condition, event, lastTaken(context));
  };
}

/** Values of an input are its positions mixed, so the latest of the bound events is the one taken last. */
function lastTaken(context: ConditionContext<Stages>): PlanEvent | undefined {
  const bound = Object.values(context.events).flat() as (PlanEvent & { readonly position: number })[];
  return bound.reduce<(typeof bound)[number] | undefined>(
    (last, event) => (last === undefined || event.position > last.position ? event : last),
    undefined,
  );
}

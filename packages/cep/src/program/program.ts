import type { AnyCondition, Test } from '../pattern/condition.ts';
import { fingerprintOf } from '../pattern/fingerprint.ts';
import { invalidPattern } from '../pattern/invalid.ts';
import { detailsOf } from '../pattern/quantify.ts';
import {
  type Contiguity,
  type ElementSpec,
  type PatternSpec,
  type SkipSpec,
  type WithinSpec,
  nameOf,
} from '../pattern/spec.ts';
import type { MoveSet } from './move-set.ts';
import { Positions } from './positions.ts';

/** Index of a condition that is always met. */
export const ALWAYS = -1;
/** Index of a condition that is not there. */
export const NONE = -2;

interface Base {
  readonly edge: Contiguity;
  readonly inner: Contiguity;
  readonly min: number;
  readonly max: number;
  readonly optional: boolean;
  /** Conditions of the negations behind it. */
  readonly notNext: readonly number[];
  readonly notFollowedBy: readonly number[];
}

export interface Stage extends Base {
  readonly kind: 'stage';
  readonly index: number;
  readonly name: string;
  readonly condition: number;
  readonly until: number;
  readonly greedy: boolean;
}

export interface Group extends Base {
  readonly kind: 'group';
  readonly elements: Sequence;
}

export type Element = Stage | Group;
export type Sequence = readonly Element[];

export interface ProgramCondition {
  readonly call: AnyCondition;
  readonly iterative: boolean;
  /** For messages. */
  readonly what: string;
  readonly stage: string;
}

/** A pattern in the form that matchers run, and share: without state. */
export interface Program {
  readonly fingerprint: string;
  readonly stages: readonly Stage[];
  readonly conditions: readonly ProgramCondition[];
  /** Whether a condition may depend on what a run has bound. */
  readonly iterative: boolean;
  readonly positions: Positions;
  /** The first takes. */
  readonly start: MoveSet;
  readonly within: WithinSpec | undefined;
  readonly skip: SkipSpec;
}

/**
 * @throws RsError `RS_INVALID_PATTERN` for what can only be seen when the pattern is whole
 */
export function compile(spec: PatternSpec): Program {
  const last = spec.elements.at(-1);
  if (last === undefined) throw invalidPattern('there is no stage; start with Pattern.begin');
  if (spec.within === undefined && last.after.some(({ kind }) => kind === 'notFollowedBy')) {
    throw invalidPattern(
      `notFollowedBy behind ${nameOf(last)} is the end of the pattern, so it would wait for ever; call within`,
      detailsOf(last),
    );
  }
  const stages: Stage[] = [];
  const conditions: ProgramCondition[] = [];
  const root = sequenceOf(spec.elements, stages, conditions);
  const positions = new Positions(root);
  return {
    fingerprint: fingerprintOf(spec),
    stages,
    conditions,
    iterative: conditions.some((condition) => condition.iterative),
    positions,
    start: positions.start,
    within: spec.within,
    skip: spec.skip,
  };
}

function sequenceOf(
  elements: readonly ElementSpec[],
  stages: Stage[],
  conditions: ProgramCondition[],
): Sequence {
  return elements.map((element) => {
    const add = (test: Test, role: string): number => {
      const stage = element.kind === 'stage' ? element.name : nameOf(element);
      conditions.push({ ...test, what: `${role} of ${nameOf(element)}`, stage });
      return conditions.length - 1;
    };
    const after = (kind: 'notNext' | 'notFollowedBy'): number[] =>
      element.after.filter((negation) => negation.kind === kind).map(({ test }) => add(test, kind));
    const { edge, min, max, optional } = element;
    const base = { edge, inner: element.inner ?? 'relaxed', min, max, optional } as const;
    if (element.kind === 'group') {
      const inside = sequenceOf(element.elements, stages, conditions);
      return {
        kind: 'group',
        ...base,
        elements: inside,
        notNext: after('notNext'),
        notFollowedBy: after('notFollowedBy'),
      };
    }
    const stage: Stage = {
      kind: 'stage',
      ...base,
      index: stages.length,
      name: element.name,
      condition: element.test === undefined ? ALWAYS : add(element.test, 'condition'),
      until: element.until === undefined ? NONE : add(element.until, 'until'),
      greedy: element.greedy,
      notNext: after('notNext'),
      notFollowedBy: after('notFollowedBy'),
    };
    stages.push(stage);
    return stage;
  });
}

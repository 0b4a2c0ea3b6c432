import { RsError } from '@rs/core';
import type { Test } from './condition.ts';

/** What may lie between two taken events: nothing, nothing that could have been taken itself, or anything. */
export type Contiguity = 'strict' | 'relaxed' | 'any';

/** Between which events the time of `within` is measured. */
export type WithinScope = 'first-to-last' | 'previous-to-current';

export interface WithinSpec {
  readonly millis: number;
  readonly scope: WithinScope;
}

export type SkipSpec =
  | { readonly kind: 'no-skip' | 'to-next' | 'past-last-event' }
  | { readonly kind: 'to-first' | 'to-last'; readonly stage: string; readonly throwOnMiss: boolean };

export interface Negation {
  readonly kind: 'notNext' | 'notFollowedBy';
  readonly test: Test;
}

interface ElementBase {
  /** How it follows on what stands before it. Without meaning for the first one. */
  readonly edge: Contiguity;
  /** At least 1: that it may be absent is `optional`. */
  readonly min: number;
  /** `Infinity` for a loop without an end. */
  readonly max: number;
  readonly optional: boolean;
  /** How one repetition follows on another; `undefined` until the user has said so. */
  readonly inner: Contiguity | undefined;
  /** Whether a quantifier was given; a second one would silently replace it. */
  readonly counted: boolean;
  /** Between it and the next one. */
  readonly after: readonly Negation[];
}

export interface StageSpec extends ElementBase {
  readonly kind: 'stage';
  readonly name: string;
  /** `undefined` accepts every event. */
  readonly test: Test | undefined;
  readonly until: Test | undefined;
  readonly greedy: boolean;
}

export interface GroupSpec extends ElementBase {
  readonly kind: 'group';
  readonly elements: readonly ElementSpec[];
}

export type ElementSpec = StageSpec | GroupSpec;

/** A pattern as data; the fluent builder is its only writer. */
export interface PatternSpec {
  readonly elements: readonly ElementSpec[];
  readonly within: WithinSpec | undefined;
  readonly skip: SkipSpec;
}

const ONCE = { min: 1, max: 1, optional: false, inner: undefined, counted: false, after: [] } as const;

export function stageSpec(name: string, edge: Contiguity, test: Test | undefined): StageSpec {
  return { kind: 'stage', name, edge, test, until: undefined, greedy: false, ...ONCE };
}

export function groupSpec(edge: Contiguity, elements: readonly ElementSpec[]): GroupSpec {
  return { kind: 'group', edge, elements, ...ONCE };
}

/** The stages in the order of the pattern, those of groups included. */
export function stagesOf(elements: readonly ElementSpec[]): StageSpec[] {
  return elements.flatMap((element) => (element.kind === 'stage' ? [element] : stagesOf(element.elements)));
}

/** The element as messages name it. */
export function nameOf(element: ElementSpec): string {
  if (element.kind === 'stage') return `stage '${element.name}'`;
  return `group (${stagesOf(element.elements)
    .map((stage) => `'${stage.name}'`)
    .join(', ')})`;
}

/** Called by mistake with something else, a pattern would fail much later. */
export function specOf(pattern: unknown, what: string): PatternSpec {
  const spec =
    typeof pattern === 'object' && pattern !== null && 'spec' in pattern ? pattern.spec : undefined;
  if (typeof spec === 'object' && spec !== null && 'elements' in spec) return spec as PatternSpec;
  throw new RsError('RS_INVALID_ARGUMENT', `${what}: the pattern must be one that Pattern.begin began`, {
    details: { what, received: pattern },
  });
}

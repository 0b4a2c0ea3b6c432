import { RsError } from '@rs/core';
import type { Test } from './condition.ts';
import { invalidPattern } from './invalid.ts';
import { type ElementSpec, type StageSpec, nameOf } from './spec.ts';

/** `max` undefined means the same as `min`. */
export function withTimes(element: ElementSpec, min: number, max: number = min): ElementSpec {
  const where = nameOf(element);
  const fits =
    Number.isSafeInteger(min) && min >= 0 && (max === Infinity || Number.isSafeInteger(max)) && max >= 1;
  if (!fits || max < min) {
    throw new RsError(
      'RS_INVALID_ARGUMENT',
      `pattern: ${where}: times needs whole numbers with 0 ≤ min ≤ max and max ≥ 1, got ${String(min)} and ${String(max)}`,
      { details: { ...detailsOf(element), min, max } },
    );
  }
  if (element.counted) {
    throw invalidPattern(`${where} has a quantifier already; give it one only`, detailsOf(element));
  }
  return {
    ...element,
    min: Math.max(1, min),
    max,
    optional: element.optional || min === 0,
    counted: true,
  };
}

export function asOptional(element: ElementSpec): ElementSpec {
  return { ...element, optional: true };
}

export function withInner(element: ElementSpec, inner: 'strict' | 'any'): ElementSpec {
  const option = inner === 'strict' ? 'consecutive' : 'allowCombinations';
  needLoop(element, option);
  if (element.inner !== undefined && element.inner !== inner) {
    throw invalidPattern(
      `${nameOf(element)} cannot be both consecutive and allow combinations; choose one`,
      detailsOf(element),
    );
  }
  return { ...element, inner };
}

export function asGreedy(element: ElementSpec): StageSpec {
  const stage = needStage(element, 'greedy');
  needLoop(stage, 'greedy');
  return { ...stage, greedy: true };
}

export function withUntil(element: ElementSpec, until: Test): StageSpec {
  const stage = needStage(element, 'until');
  if (stage.max !== Infinity) {
    throw invalidPattern(
      `until of ${nameOf(stage)} needs a loop without an end; call oneOrMore(), zeroOrMore() or timesOrMore() before it`,
      detailsOf(stage),
    );
  }
  if (stage.until !== undefined) {
    throw invalidPattern(`${nameOf(stage)} has an until already; join the two conditions`, detailsOf(stage));
  }
  return { ...stage, until };
}

function needLoop(element: ElementSpec, option: string): void {
  if (element.max > 1) return;
  throw invalidPattern(
    `${option} of ${nameOf(element)} needs a loop; call oneOrMore() or times() with more than one before it`,
    detailsOf(element),
  );
}

export function needStage(element: ElementSpec, option: string): StageSpec {
  if (element.kind === 'stage') return element;
  throw invalidPattern(
    `${option} is not for ${nameOf(element)}; call it on a stage inside of the group`,
    detailsOf(element),
  );
}

export function detailsOf(element: ElementSpec): Readonly<Record<string, unknown>> {
  return element.kind === 'stage' ? { stage: element.name } : { group: nameOf(element) };
}

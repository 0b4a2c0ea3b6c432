import { RsError, checkName } from '@rs/core';
import { invalidPattern } from './invalid.ts';
import { detailsOf } from './quantify.ts';
import { type ElementSpec, type Negation, type PatternSpec, nameOf, stagesOf } from './spec.ts';

export function withElement(spec: PatternSpec, element: ElementSpec): PatternSpec {
  const taken = new Set(stagesOf(spec.elements).map((stage) => stage.name));
  for (const { name } of stagesOf([element])) {
    if (taken.has(name)) {
      throw invalidPattern(
        `two stages have the name '${name}'; a match lists events by name, so rename one`,
        {
          stage: name,
        },
      );
    }
  }
  return { ...spec, elements: [...spec.elements, element] };
}

/** Replaces the last element; `change` is told what it is and may refuse. */
export function withLast(
  spec: PatternSpec,
  option: string,
  change: (element: ElementSpec) => ElementSpec,
): PatternSpec {
  const last = lastOf(spec);
  if (last.after.length > 0) {
    throw invalidPattern(
      `${option} cannot stand behind a negation; call it on ${nameOf(last)} before the negation`,
      detailsOf(last),
    );
  }
  return { ...spec, elements: [...spec.elements.slice(0, -1), change(last)] };
}

export function withNegation(spec: PatternSpec, negation: Negation): PatternSpec {
  const last = lastOf(spec);
  if (last.optional) {
    throw invalidPattern(
      `${negation.kind} cannot follow the optional ${nameOf(last)}: without its events there is nothing to count from; put the negation before it, or make it required`,
      detailsOf(last),
    );
  }
  return {
    ...spec,
    elements: [...spec.elements.slice(0, -1), { ...last, after: [...last.after, negation] }],
  };
}

/** The elements of a pattern that becomes a part of another one. */
export function elementsOfGroup(group: PatternSpec): readonly ElementSpec[] {
  const names = stagesOf(group.elements).map((stage) => stage.name);
  const where = `group (${names.map((name) => `'${name}'`).join(', ')})`;
  const details = { stages: names };
  if (group.within !== undefined) {
    throw invalidPattern(`${where} cannot have a within of its own; call it on the whole pattern`, details);
  }
  if (group.skip.kind !== 'no-skip') {
    throw invalidPattern(
      `${where} cannot skip after a match of its own; choose the strategy on the whole pattern`,
      details,
    );
  }
  if (lastOf(group).after.length > 0) {
    throw invalidPattern(
      `${where} ends with a negation; put it behind the group, where it also holds between repetitions if it is notFollowedBy`,
      details,
    );
  }
  if (group.elements.every((element) => element.optional)) {
    throw invalidPattern(
      `${where} could be empty; make one of its stages required, and the group itself optional`,
      details,
    );
  }
  return group.elements;
}

export function checkStageName(name: string): string {
  checkName(name, 'stage name');
  if (name === '__proto__') {
    throw new RsError('RS_INVALID_NAME', "stage name must not be '__proto__'; choose another one", {
      details: { what: 'stage name', received: name },
    });
  }
  return name;
}

function lastOf(spec: PatternSpec): ElementSpec {
  const last = spec.elements.at(-1);
  if (last === undefined) throw invalidPattern('there is no stage yet; start with Pattern.begin');
  return last;
}

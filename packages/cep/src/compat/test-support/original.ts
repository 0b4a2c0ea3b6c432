import type { PatternStep } from '../pattern-sequence.ts';

export interface OriginalPartial {
  events: string[];
  byStep: Map<number, string[]>;
  start: number;
  step: number;
}

export interface OriginalMatch {
  readonly events: string[];
  readonly byStep: Map<number, string[]>;
  readonly start: number;
  readonly end: number;
}

/** The original's algorithm word for word, with a copy wherever it says copy: what the matcher is compared with. */
export class OriginalMatcher {
  partials: OriginalPartial[] = [];
  readonly #steps: readonly PatternStep<string>[];
  readonly #within: number | undefined;

  constructor(steps: readonly PatternStep<string>[], within: number | undefined) {
    this.#steps = steps;
    this.#within = within;
  }

  process(event: string, time: number): OriginalMatch[] {
    if (this.#within !== undefined) {
      const within = this.#within;
      this.partials = this.partials.filter((partial) => !(time - partial.start > within));
    }
    const matches: OriginalMatch[] = [];
    const next: OriginalPartial[] = [];
    let consumed = false;
    const settle = (results: OriginalPartial[]) => {
      for (const result of results) {
        if (result.step > this.#steps.length - 1) {
          matches.push({ events: result.events, byStep: result.byStep, start: result.start, end: time });
        } else next.push(result);
      }
    };
    for (const partial of this.partials) {
      const results = this.#tryExtend(partial, event);
      if (results.some((result) => result.events.length > partial.events.length)) consumed = true;
      settle(results);
    }
    if (!consumed) settle(this.#consume({ events: [], byStep: new Map(), start: time, step: 0 }, event));
    this.partials = next;
    return matches;
  }

  #tryExtend(partial: OriginalPartial, event: string): OriginalPartial[] {
    const contiguity = this.#step(partial.step).contiguity;
    const results = this.#consume(partial, event);
    if (results.length > 0) {
      if (contiguity === 'NON_DETERMINISTIC') results.push(copyOf(partial));
      return results;
    }
    return contiguity === 'STRICT' ? [] : [copyOf(partial)];
  }

  #consume(partial: OriginalPartial, event: string): OriginalPartial[] {
    for (let i = partial.step; i < this.#steps.length; i++) {
      const { pattern, quantifier } = this.#step(i);
      const count = partial.byStep.get(i)?.length ?? 0;
      if (pattern.matches(event)) {
        const n = count + 1;
        if (n > quantifier.max) return [];
        const x = copyOf(partial);
        x.events.push(event);
        x.byStep.set(i, [...(x.byStep.get(i) ?? []), event]);
        x.step = i;
        const results: OriginalPartial[] = [];
        if (n < quantifier.max) results.push(copyOf(x));
        if (n >= quantifier.min) results.push({ ...copyOf(x), step: i + 1 });
        return results;
      }
      if (quantifier.min !== 0 || count !== 0) return [];
    }
    return [];
  }

  #step(index: number): PatternStep<string> {
    const step = this.#steps[index];
    if (step === undefined) throw new Error(`no step ${index}`);
    return step;
  }
}

export function copyOf({ events, byStep, start, step }: OriginalPartial): OriginalPartial {
  const lists = [...byStep].map(([index, list]): [number, string[]] => [index, [...list]]);
  return { events: [...events], byStep: new Map(lists), start, step };
}

import type { PartialMatch } from './partial-match.ts';
import type { PatternStep } from './pattern-sequence.ts';

/** Whether the current event meets the condition of a step. */
type Accepts = (step: number) => boolean;

interface Advanced<T> {
  readonly partials: readonly PartialMatch<T>[];
  readonly complete: readonly PartialMatch<T>[];
}

/**
 * What an event makes of all that has begun: the original's algorithm, with what is odd about it. In particular, an event
 * that continues anything begins nothing; and whatever the current step takes is not offered to the steps behind it.
 */
export function advance<T>(
  steps: readonly PatternStep<T>[],
  partials: readonly PartialMatch<T>[],
  event: T,
  timestamp: number,
): Advanced<T> {
  const accepts = answersFor(steps, event);
  const goOn: PartialMatch<T>[] = [];
  const complete: PartialMatch<T>[] = [];
  const add = (result: PartialMatch<T>) => (result.step < steps.length ? goOn : complete).push(result);
  let consumed = false;
  for (const partial of partials) {
    const results = consume(steps, partial, event, accepts);
    results.forEach(add);
    const contiguity = steps[partial.step]?.contiguity;
    if (results.length === 0) {
      if (contiguity !== 'STRICT') goOn.push(partial);
    } else {
      consumed = true;
      if (contiguity === 'NON_DETERMINISTIC') goOn.push(partial);
    }
  }
  if (!consumed) {
    const seed: PartialMatch<T> = { last: undefined, step: 0, count: 0, startTs: timestamp };
    consume(steps, seed, event, accepts).forEach(add);
  }
  return { partials: goOn, complete };
}

/** The first step that takes the event takes it, and optional ones before it are skipped: staying in it comes before leaving it. */
function consume<T>(
  steps: readonly PatternStep<T>[],
  { step: from, count: filled, last: previous, startTs }: PartialMatch<T>,
  event: T,
  accepts: Accepts,
): PartialMatch<T>[] {
  for (let step = from; step < steps.length; step++) {
    const { min, max } = (steps[step] as PatternStep<T>).quantifier;
    const before = step === from ? filled : 0;
    if (accepts(step)) {
      const count = before + 1;
      if (count > max) return [];
      const last = { previous, step, event };
      const stays = { last, step, count, startTs };
      const leaves = { last, step: step + 1, count: 0, startTs };
      return [...(count < max ? [stays] : []), ...(count >= min ? [leaves] : [])];
    }
    if (min > 0 || before > 0) return [];
  }
  return [];
}

/** Asks each condition once at most, however much has begun. */
function answersFor<T>(steps: readonly PatternStep<T>[], event: T): Accepts {
  const answers: (boolean | undefined)[] = [];
  return (step) => (answers[step] ??= steps[step]?.pattern.matches(event) ?? false);
}

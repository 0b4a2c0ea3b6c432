import type { PatternSequence } from '../pattern-sequence.ts';
import { OriginalMatcher, type OriginalPartial, copyOf } from './original.ts';

export interface TimedRecord {
  readonly key: string;
  readonly event: string;
  readonly time: number;
}

/** The original's operator word for word: all keys in one map, evicted keys in a set, the state written after each record. */
export class OriginalOperator {
  readonly #sequence: PatternSequence<string>;
  readonly #maxTrackedKeys: number;
  readonly #matchers = new Map<string, { matcher: OriginalMatcher; touched: number }>();
  readonly #evicted = new Set<string>();
  readonly #state = new Map<string, OriginalPartial[]>();
  #touches = 0;

  constructor(sequence: PatternSequence<string>, maxTrackedKeys: number) {
    this.#sequence = sequence;
    this.#maxTrackedKeys = maxTrackedKeys;
  }

  /** `a b 5 7` for each match: events, start and end. */
  process({ key, event, time }: TimedRecord): string[] {
    let tracked = this.#matchers.get(key);
    if (tracked === undefined) {
      const { steps, timeLimit } = this.#sequence;
      tracked = { matcher: new OriginalMatcher(steps, timeLimit), touched: 0 };
      if (!this.#evicted.has(key)) tracked.matcher.partials = (this.#state.get(key) ?? []).map(copyOf);
      this.#matchers.set(key, tracked);
    }
    this.#evicted.delete(key);
    tracked.touched = ++this.#touches;
    const matches = tracked.matcher.process(event, time);
    const { partials } = tracked.matcher;
    if (partials.length === 0) this.#state.delete(key);
    else this.#state.set(key, partials.map(copyOf));
    this.#evict();
    return matches.map(({ events, start, end }) => `${events.join(' ')} ${start} ${end}`);
  }

  stored(key: string): string | undefined {
    const partials = this.#state.get(key)?.map(({ start, step, byStep }) => ({
      startTimestamp: start,
      currentStep: step,
      eventsByStep: Object.fromEntries(byStep),
    }));
    return partials === undefined ? undefined : JSON.stringify({ partials });
  }

  restart(): void {
    this.#matchers.clear();
    this.#evicted.clear();
  }

  #evict(): void {
    while (this.#maxTrackedKeys > 0 && this.#matchers.size > this.#maxTrackedKeys) {
      const all = [...this.#matchers];
      const idle = all.find(([, { matcher }]) => matcher.partials.length === 0);
      const [oldest] = all.sort(([, a], [, b]) => a.touched - b.touched);
      const victim = (idle ?? oldest)?.[0];
      if (victim === undefined) return;
      this.#matchers.delete(victim);
      this.#evicted.add(victim);
    }
  }
}

import type { Duration } from '@rs/core';
import type { PatternConfig } from './pattern-config.ts';
import { Pattern, checkPattern } from './pattern.ts';

/** Collects conditions on one event and joins them to one. For conditions on events that follow on each other: `PatternSequence`. */
export class PatternBuilder<T> {
  readonly #conditions: Pattern<T>[] = [];

  /** Adds a condition. */
  where(condition: Pattern<T>): this {
    checkPattern(condition, 'PatternBuilder: condition');
    this.#conditions.push(condition);
    return this;
  }

  /** The same as {@link where}: conditions of a builder are all about one event, and have no order. */
  followedBy(condition: Pattern<T>): this {
    return this.where(condition);
  }

  /** Holds when one of the conditions does; without conditions never. */
  any(): Pattern<T> {
    const conditions = [...this.#conditions];
    return Pattern.of((event) => conditions.some((condition) => condition.matches(event)));
  }

  /** Holds when all conditions do; without conditions always. */
  all(): Pattern<T> {
    const conditions = [...this.#conditions];
    return Pattern.of((event) => conditions.every((condition) => condition.matches(event)));
  }

  /** The same as {@link all}. */
  build(): Pattern<T> {
    return this.all();
  }

  /** Settings of a matcher for {@link all} with a time window, not contiguous. The matcher checks them. */
  withTimeWindow(timeWindow: Duration): PatternConfig<T> {
    return { pattern: this.all(), timeWindow, contiguous: false };
  }

  /** As {@link withTimeWindow}, contiguous. */
  withContiguousTimeWindow(timeWindow: Duration): PatternConfig<T> {
    return { pattern: this.all(), timeWindow, contiguous: true };
  }
}

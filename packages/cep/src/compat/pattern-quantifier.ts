import { checkCount } from './check.ts';

/** How often a step of a `PatternSequence` is taken. */
export class PatternQuantifier {
  /** The `max` of what has no upper limit: the largest integer of 32 bits, as in the original. */
  static readonly UNBOUNDED = 2_147_483_647;

  readonly min: number;
  readonly max: number;
  /** `{2}`, `+`, `*`, `?`, `{2,3}` or `{2,}`, after the way in which it was made. */
  readonly notation: string;

  private constructor(min: number, max: number, notation: string) {
    this.min = min;
    this.max = max;
    this.notation = notation;
  }

  /** `n` times, n ≥ 1. */
  static exactly(n: number): PatternQuantifier {
    checkCount(n, 1, 'PatternQuantifier.exactly: n');
    return new PatternQuantifier(n, n, `{${n}}`);
  }

  static oneOrMore(): PatternQuantifier {
    return new PatternQuantifier(1, PatternQuantifier.UNBOUNDED, '+');
  }

  static zeroOrMore(): PatternQuantifier {
    return new PatternQuantifier(0, PatternQuantifier.UNBOUNDED, '*');
  }

  static optional(): PatternQuantifier {
    return new PatternQuantifier(0, 1, '?');
  }

  /** `min` to `max` times, 0 ≤ min ≤ max. `times(0, 0)` is a step that cannot take an event: one that meets it goes unused. */
  static times(min: number, max: number): PatternQuantifier {
    checkCount(min, 0, 'PatternQuantifier.times: min');
    checkCount(max, min, 'PatternQuantifier.times: max');
    return new PatternQuantifier(min, max, `{${min},${max}}`);
  }

  /** `n` times or more, n ≥ 0. */
  static atLeast(n: number): PatternQuantifier {
    checkCount(n, 0, 'PatternQuantifier.atLeast: n');
    return new PatternQuantifier(n, PatternQuantifier.UNBOUNDED, `{${n},}`);
  }

  /** Whether so many events are enough, and not too many. */
  matches(count: number): boolean {
    return this.min <= count && count <= this.max;
  }

  toString(): string {
    return this.notation;
  }
}

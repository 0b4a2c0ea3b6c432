import { type Duration, RsError, positiveDurationToMillis } from '@rs/core';
import { checkHas, invalidArgument } from './check.ts';
import { PatternQuantifier } from './pattern-quantifier.ts';
import { type Pattern, checkPattern } from './pattern.ts';

/**
 * What may lie before an event of a step, and between the events of a loop: nothing (`STRICT`), what the step does not
 * take (`RELAXED`), anything (`NON_DETERMINISTIC`).
 */
export type StepContiguity = 'STRICT' | 'RELAXED' | 'NON_DETERMINISTIC';

/** One step of a {@link PatternSequence}. */
export interface PatternStep<T> {
  readonly name: string;
  readonly pattern: Pattern<T>;
  readonly contiguity: StepContiguity;
  readonly quantifier: PatternQuantifier;
}

/**
 * Builds a pattern of steps that follow on each other. Its methods change it and return it; a matcher keeps what it was
 * when the matcher was made.
 *
 * Names of steps need not be unique: `getStep` and `getEventsForStep` mean the first of a name.
 */
export class PatternSequence<T> {
  /** Never set by anything; the original has it. */
  readonly contiguous: boolean = false;
  readonly #steps: PatternStep<T>[] = [];
  #within: number | undefined;

  private constructor() {
    // Made by begin().
  }

  /** Without steps: `where` adds the first. */
  static begin<T>(): PatternSequence<T>;
  /** With the first step, as `where` adds it. */
  static begin<T>(name: string, pattern: Pattern<T>): PatternSequence<T>;
  static begin<T>(...first: [] | [string, Pattern<T>]): PatternSequence<T> {
    const sequence = new PatternSequence<T>();
    return first.length === 0 ? sequence : sequence.where(...first);
  }

  /** Adds a relaxed step; it may be the first. */
  where(name: string, pattern: Pattern<T>): this {
    return this.#add('where', name, pattern, 'RELAXED');
  }

  /**
   * Adds a step with nothing before it.
   *
   * @throws RsError `RS_INVALID_PATTERN` as first step
   */
  next(name: string, pattern: Pattern<T>): this {
    return this.#follow('next', name, pattern, 'STRICT');
  }

  /**
   * Adds a relaxed step.
   *
   * @throws RsError `RS_INVALID_PATTERN` as first step
   */
  followedBy(name: string, pattern: Pattern<T>): this {
    return this.#follow('followedBy', name, pattern, 'RELAXED');
  }

  /**
   * Adds a step with anything before it: what waits for it also goes on waiting.
   *
   * @throws RsError `RS_INVALID_PATTERN` as first step
   */
  followedByAny(name: string, pattern: Pattern<T>): this {
    return this.#follow('followedByAny', name, pattern, 'NON_DETERMINISTIC');
  }

  /**
   * How often the last step is taken; replaces what was said before. Without any: once.
   *
   * @throws RsError `RS_INVALID_PATTERN` when there is no step yet, `RS_INVALID_ARGUMENT` for counts that cannot be
   */
  times(quantifier: PatternQuantifier): this;
  times(n: number): this;
  times(min: number, max: number): this;
  times(first: PatternQuantifier | number, max?: number): this {
    if (typeof first !== 'number') return this.#quantify('times', first);
    return this.#quantify(
      'times',
      max === undefined ? PatternQuantifier.exactly(first) : PatternQuantifier.times(first, max),
    );
  }

  oneOrMore(): this {
    return this.#quantify('oneOrMore', PatternQuantifier.oneOrMore());
  }

  zeroOrMore(): this {
    return this.#quantify('zeroOrMore', PatternQuantifier.zeroOrMore());
  }

  optional(): this {
    return this.#quantify('optional', PatternQuantifier.optional());
  }

  /**
   * How long a match may take: an event that comes more than `duration` after the first is outside, one exactly that much
   * later is inside. The last call holds. Without it, what has begun never ends.
   *
   * @throws RsError `RS_INVALID_DURATION` unless it is at least 1 ms
   */
  within(duration: Duration): this {
    this.#within = positiveDurationToMillis(duration, 'PatternSequence.within');
    return this;
  }

  /** @throws RsError `RS_INVALID_PATTERN` when there is no step */
  validate(): void {
    if (this.#steps.length > 0) return;
    throw invalidSequence("it has no step; add one, such as where('start', Pattern.of((event) => event.ok))");
  }

  /** One of its own with the same steps, to go on from in two ways. */
  copy(): PatternSequence<T> {
    const copy = new PatternSequence<T>();
    copy.#steps.push(...this.#steps);
    copy.#within = this.#within;
    return copy;
  }

  /** A copy. */
  get steps(): PatternStep<T>[] {
    return [...this.#steps];
  }

  /** What {@link within} said, in milliseconds. */
  get timeLimit(): number | undefined {
    return this.#within;
  }

  /** The first step of that name. */
  getStep(name: string): PatternStep<T> | undefined {
    return this.#steps.find((step) => step.name === name);
  }

  #follow(method: string, name: string, pattern: Pattern<T>, contiguity: StepContiguity): this {
    if (this.#steps.length === 0) {
      throw invalidSequence(
        `${method} needs a step before it; begin with PatternSequence.begin(name, pattern), or with where`,
      );
    }
    return this.#add(method, name, pattern, contiguity);
  }

  #add(method: string, name: string, pattern: Pattern<T>, contiguity: StepContiguity): this {
    if (typeof name !== 'string') {
      throw invalidArgument(`PatternSequence.${method}: the name of a step must be a text`, 'name', name);
    }
    checkPattern(pattern, `PatternSequence.${method}: the pattern of step '${name}'`);
    this.#steps.push({ name, pattern, contiguity, quantifier: PatternQuantifier.exactly(1) });
    return this;
  }

  #quantify(method: string, quantifier: PatternQuantifier): this {
    checkHas(
      quantifier,
      'matches',
      `PatternSequence.${method}: the quantifier`,
      'a number or a PatternQuantifier',
    );
    const last = this.#steps.pop();
    if (last === undefined) {
      throw invalidSequence(`${method} says how often a step is taken, but there is none; add one before`);
    }
    this.#steps.push({ ...last, quantifier });
    return this;
  }
}

/** @throws RsError `RS_INVALID_ARGUMENT` for what is no sequence, `RS_INVALID_PATTERN` for one without steps */
export function checkSequence<T>(sequence: PatternSequence<T>, what: string): void {
  checkHas(sequence, 'validate', `${what}: the sequence`, 'a PatternSequence of @rs/cep/compat');
  sequence.validate();
}

function invalidSequence(message: string): RsError {
  return new RsError('RS_INVALID_PATTERN', `PatternSequence: ${message}`);
}

import { type Duration, RsError, checkObject, positiveDurationToMillis } from '@rs/core';
import { type Program, compile } from '../program/program.ts';
import { checkStageName, elementsOfGroup, withElement, withLast, withNegation } from './append.ts';
import { type Condition, type Guard, type ConditionContext, both, either, testOf } from './condition.ts';
import { invalidPattern } from './invalid.ts';
import { asGreedy, asOptional, needStage, withInner, withTimes, withUntil } from './quantify.ts';
import {
  type Contiguity,
  type Negation,
  type PatternSpec,
  type SkipSpec,
  type WithinScope,
  groupSpec,
  nameOf,
  specOf,
  stageSpec,
  stagesOf,
} from './spec.ts';
import type { AllUnused, EventOf, NoStages, Unused, WithStage, WithStages } from './stage-types.ts';

/** A pattern as others take it: of events `T`, with the stages `S`. */
export interface PatternLike<T, S extends object> {
  /** @internal */
  readonly spec: PatternSpec;
  /** @internal */
  program(): Program;
  /** Never there: it holds the types. */
  readonly '~types'?: { readonly takes: (event: T) => void; readonly stages: S };
}

export interface SkipOptions {
  /**
   * Fail with `RS_PATTERN_SKIP_MISSED` when a match has no event of the named stage. Default `false`: such a match skips
   * nothing.
   */
  readonly throwOnMiss?: boolean;
}

/** Where a pattern starts when the type of its events is named first: {@link Pattern.of}. */
export interface PatternStart<T> {
  begin<const N extends string, U extends T>(
    name: N,
    condition: Guard<T, U, WithStage<NoStages, N, T>>,
  ): Pattern<T, WithStage<NoStages, N, U>, N>;
  begin<const N extends string>(
    name: N,
    condition?: Condition<T, WithStage<NoStages, N, T>>,
  ): Pattern<T, WithStage<NoStages, N, T>, N>;
  begin<G extends object>(group: PatternLike<T, G>): Pattern<T, G>;
}

/**
 * What to look for in a stream of events: stages in an order, each with a condition. Immutable: every method gives a new
 * pattern, so a beginning can be shared.
 *
 * `T` is the type of all events, `S` the type of the events of each stage by its name, `L` the name of the last stage
 * while `where` and `or` can be called on it.
 */
export class Pattern<T, S extends object = NoStages, L extends string = never> implements PatternLike<T, S> {
  /** @internal */
  readonly spec: PatternSpec;
  #program: Program | undefined;
  declare readonly '~types'?: { readonly takes: (event: T) => void; readonly stages: S };

  private constructor(spec: PatternSpec) {
    this.spec = spec;
  }

  /**
   * The pattern as matchers run it, made once however many keys have one.
   *
   * @internal
   * @throws RsError `RS_INVALID_PATTERN` for what can only be seen when the pattern is whole
   */
  program(): Program {
    return (this.#program ??= compile(this.spec));
  }

  /** Names the type of the events first, so that no condition needs to: `Pattern.of<Order>().begin('paid', (o) => o.paid)`. */
  static of<T>(): PatternStart<T> {
    return Pattern;
  }

  /**
   * The first stage, or a group of stages.
   *
   * @param name key of the stage in matches: 1 to 128 of `A-Z a-z 0-9 . _ -`
   * @param condition left out, every event is taken
   * @throws RsError `RS_INVALID_NAME`, and `RS_INVALID_PATTERN` for a pattern that cannot be a group
   */
  static begin<T, const N extends string, U extends T>(
    name: N,
    condition: Guard<T, U, WithStage<NoStages, N, T>>,
  ): Pattern<T, WithStage<NoStages, N, U>, N>;
  static begin<T, const N extends string>(
    name: N,
    condition?: Condition<T, WithStage<NoStages, N, T>>,
  ): Pattern<T, WithStage<NoStages, N, T>, N>;
  static begin<T, G extends object>(group: PatternLike<T, G>): Pattern<T, G>;
  static begin(first: string | PatternLike<never, object>, condition?: unknown): unknown {
    return new Pattern(appended(EMPTY, 'relaxed', first, condition));
  }

  /** The very next event. */
  next<const N extends string, U extends T>(
    name: N & Unused<N, S>,
    condition: Guard<T, U, WithStage<S, N, T>>,
  ): Pattern<T, WithStage<S, N, U>, N>;
  next<const N extends string>(
    name: N & Unused<N, S>,
    condition?: Condition<T, WithStage<S, N, T>>,
  ): Pattern<T, WithStage<S, N, T>, N>;
  next<G extends object>(group: PatternLike<T, G> & AllUnused<G, S>): Pattern<T, WithStages<S, G>>;
  next(first: string | PatternLike<never, object>, condition?: unknown): unknown {
    return new Pattern(appended(this.spec, 'strict', first, condition));
  }

  /** The next event that meets the condition; others in between do not matter. */
  followedBy<const N extends string, U extends T>(
    name: N & Unused<N, S>,
    condition: Guard<T, U, WithStage<S, N, T>>,
  ): Pattern<T, WithStage<S, N, U>, N>;
  followedBy<const N extends string>(
    name: N & Unused<N, S>,
    condition?: Condition<T, WithStage<S, N, T>>,
  ): Pattern<T, WithStage<S, N, T>, N>;
  followedBy<G extends object>(group: PatternLike<T, G> & AllUnused<G, S>): Pattern<T, WithStages<S, G>>;
  followedBy(first: string | PatternLike<never, object>, condition?: unknown): unknown {
    return new Pattern(appended(this.spec, 'relaxed', first, condition));
  }

  /** Any later event that meets the condition, one match for each. */
  followedByAny<const N extends string, U extends T>(
    name: N & Unused<N, S>,
    condition: Guard<T, U, WithStage<S, N, T>>,
  ): Pattern<T, WithStage<S, N, U>, N>;
  followedByAny<const N extends string>(
    name: N & Unused<N, S>,
    condition?: Condition<T, WithStage<S, N, T>>,
  ): Pattern<T, WithStage<S, N, T>, N>;
  followedByAny<G extends object>(group: PatternLike<T, G> & AllUnused<G, S>): Pattern<T, WithStages<S, G>>;
  followedByAny(first: string | PatternLike<never, object>, condition?: unknown): unknown {
    return new Pattern(appended(this.spec, 'any', first, condition));
  }

  /**
   * The very next event must not meet the condition. As the end of a pattern: the match comes with the next event.
   *
   * @throws RsError `RS_INVALID_PATTERN` behind an optional stage
   */
  notNext(condition: (event: T, context: ConditionContext<S>) => boolean): Pattern<T, S> {
    return this.#not('notNext', condition);
  }

  /**
   * No event before the next stage's may meet the condition, nor one between the repetitions of what stands before. As
   * the end of a pattern: nothing may meet it until the time of `within` is over, and the match comes then.
   *
   * @throws RsError `RS_INVALID_PATTERN` behind an optional stage
   */
  notFollowedBy(condition: (event: T, context: ConditionContext<S>) => boolean): Pattern<T, S> {
    return this.#not('notFollowedBy', condition);
  }

  /** The last stage's events must meet this condition too. */
  where<U extends EventOf<S, L>>(condition: Guard<EventOf<S, L>, U, S>): Pattern<T, WithStage<S, L, U>, L>;
  where(condition: Condition<EventOf<S, L>, S>): Pattern<T, S, L>;
  where(condition: unknown): unknown {
    return this.#last('where', (element) => {
      const stage = needStage(element, 'where');
      return { ...stage, test: both(stage.test, testOf(condition, `where of ${nameOf(stage)}`)) };
    });
  }

  /** The last stage also takes events that meet only this condition, and none of those given for it before. */
  or<U extends T>(condition: Guard<T, U, S>): Pattern<T, WithStage<S, L, EventOf<S, L> | U>, L>;
  or(condition: Condition<T, S>): Pattern<T, WithStage<S, L, T>, L>;
  or(condition: unknown): unknown {
    return this.#last('or', (element) => {
      const stage = needStage(element, 'or');
      return { ...stage, test: either(stage.test, testOf(condition, `or of ${nameOf(stage)}`)) };
    });
  }

  /** Exactly `min` times, or `min` to `max` times; with `min` 0 it may be absent. */
  times(min: number, max?: number): Pattern<T, S, L> {
    return this.#last('times', (element) => withTimes(element, min, max));
  }

  /** `min` times or more. */
  timesOrMore(min: number): Pattern<T, S, L> {
    return this.#last('timesOrMore', (element) => withTimes(element, min, Infinity));
  }

  /** Once or more. */
  oneOrMore(): Pattern<T, S, L> {
    return this.timesOrMore(1);
  }

  /** Any number of times, also not at all. */
  zeroOrMore(): Pattern<T, S, L> {
    return this.timesOrMore(0);
  }

  /** The whole stage or group may be absent: `times(2).optional()` is none or two. */
  optional(): Pattern<T, S, L> {
    return this.#last('optional', asOptional);
  }

  /** The loop takes all it can: it is not left, or skipped, over an event that it could take. */
  greedy(): Pattern<T, S, L> {
    return this.#last('greedy', asGreedy);
  }

  /** Repetitions follow on each other with nothing between. Default: what the loop could not take may lie between. */
  consecutive(): Pattern<T, S, L> {
    return this.#last('consecutive', (element) => withInner(element, 'strict'));
  }

  /** Between repetitions may lie anything, also events that the loop could take. */
  allowCombinations(): Pattern<T, S, L> {
    return this.#last('allowCombinations', (element) => withInner(element, 'any'));
  }

  /** The loop ends before an event that meets the condition, and does not take it. */
  until(condition: Condition<T, S>): Pattern<T, S, L> {
    return this.#last('until', (element) =>
      withUntil(element, testOf(condition, `until of ${nameOf(element)}`)),
    );
  }

  /**
   * How much time a match may take: less than `duration`, so an event exactly that much later is outside.
   *
   * @param scope `first-to-last` (default) limits the whole match, `previous-to-current` each step from one taken event to
   *   the next
   * @throws RsError `RS_INVALID_DURATION` unless it is at least 1 ms
   */
  within(duration: Duration, scope: WithinScope = 'first-to-last'): Pattern<T, S, L> {
    if (scope !== 'first-to-last' && scope !== 'previous-to-current') {
      throw new RsError(
        'RS_INVALID_ARGUMENT',
        `within: the scope must be 'first-to-last' or 'previous-to-current', got ${String(scope)}`,
        { details: { received: scope } },
      );
    }
    return this.#with({ within: { millis: positiveDurationToMillis(duration, 'within'), scope } });
  }

  /** After a match, everything else that has begun goes on. The default. */
  noSkip(): Pattern<T, S, L> {
    return this.#with({ skip: { kind: 'no-skip' } });
  }

  /** After a match, nothing else that began with the same event is a match. */
  skipToNext(): Pattern<T, S, L> {
    return this.#with({ skip: { kind: 'to-next' } });
  }

  /** After a match, nothing that has begun up to its last event is a match: matches do not overlap. */
  skipPastLastEvent(): Pattern<T, S, L> {
    return this.#with({ skip: { kind: 'past-last-event' } });
  }

  /** After a match, nothing that began before the first event of the stage in it is a match. */
  skipToFirst(stage: keyof S & string, options: SkipOptions = {}): Pattern<T, S, L> {
    return this.#skipTo('to-first', stage, options);
  }

  /** After a match, nothing that began before the last event of the stage in it is a match. */
  skipToLast(stage: keyof S & string, options: SkipOptions = {}): Pattern<T, S, L> {
    return this.#skipTo('to-last', stage, options);
  }

  #skipTo(kind: 'to-first' | 'to-last', stage: string, options: SkipOptions): Pattern<T, S, L> {
    const method = kind === 'to-first' ? 'skipToFirst' : 'skipToLast';
    checkObject(options, `${method}: options`);
    if (!stagesOf(this.spec.elements).some(({ name }) => name === stage)) {
      throw invalidPattern(
        `${method} names the stage '${String(stage)}', which the pattern does not have; call it after that stage`,
        { stage },
      );
    }
    return this.#with({ skip: { kind, stage, throwOnMiss: options.throwOnMiss === true } });
  }

  #not(kind: Negation['kind'], condition: unknown): Pattern<T, S> {
    return new Pattern<T, S>(withNegation(this.spec, { kind, test: testOf(condition, kind) }));
  }

  #last(option: string, change: Parameters<typeof withLast>[2]): Pattern<T, S, L> {
    return new Pattern<T, S, L>(withLast(this.spec, option, change));
  }

  #with(changes: { within: PatternSpec['within'] } | { skip: SkipSpec }): Pattern<T, S, L> {
    return new Pattern<T, S, L>({ ...this.spec, ...changes });
  }
}

const EMPTY: PatternSpec = { elements: [], within: undefined, skip: { kind: 'no-skip' } };

function appended(
  spec: PatternSpec,
  edge: Contiguity,
  first: string | PatternLike<never, object>,
  condition: unknown,
): PatternSpec {
  if (typeof first === 'object')
    return withElement(spec, groupSpec(edge, elementsOfGroup(specOf(first, 'group'))));
  const name = checkStageName(first);
  const test = condition === undefined ? undefined : testOf(condition, `condition of stage '${name}'`);
  return withElement(spec, stageSpec(name, edge, test));
}

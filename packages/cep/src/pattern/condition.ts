import { RsError } from '@rs/core';

/** Events by stage: the key is the stage's name, the value what was bound to it, in the order of taking. */
export type BoundEvents<S extends object> = { readonly [K in keyof S]: readonly S[K][] };

/** What a condition sees besides the event: what its run has bound so far. */
export interface ConditionContext<S extends object> {
  /** The event's time, in epoch milliseconds. */
  readonly timestamp: number;
  /** What this run has bound so far; a stage without events has an empty list. Built when it is read: see `last`. */
  readonly events: BoundEvents<S>;
  /** The event that the stage has bound last, without building lists; `undefined` when there is none yet. */
  last<K extends keyof S & string>(stage: K): S[K] | undefined;
}

/**
 * Decides about one event. It must give the same answer for the same event and the same bound events: it is called once
 * per event when it does not look at the context, and otherwise once per run.
 */
export type Condition<T, S extends object> = (event: T, context: ConditionContext<S>) => boolean;

/** A {@link Condition} that narrows the type of the events bound to its stage. */
export type Guard<T, U extends T, S extends object> = (event: T, context: ConditionContext<S>) => event is U;

/** Any condition, whatever events and stages it was written for. */
export type AnyCondition = (event: never, context: never) => unknown;

/** A condition inside of a pattern. */
export interface Test {
  readonly call: AnyCondition;
  /** Whether it takes a context. One that takes none is the same for all runs. */
  readonly iterative: boolean;
}

export function testOf(condition: unknown, what: string): Test {
  if (typeof condition === 'function')
    return { call: condition as AnyCondition, iterative: condition.length > 1 };
  throw new RsError('RS_INVALID_ARGUMENT', `${what} must be a function (event, context) => boolean`, {
    details: { what, received: condition },
  });
}

type Call = (event: unknown, context: unknown) => unknown;

export function both(first: Test | undefined, second: Test): Test {
  if (first === undefined) return second;
  const [a, b] = [first.call as Call, second.call as Call];
  return {
    call: (event: never, context: never) => isTrue(a(event, context)) && b(event, context),
    iterative: first.iterative || second.iterative,
  };
}

export function either(first: Test | undefined, second: Test): Test {
  if (first === undefined) return second;
  const [a, b] = [first.call as Call, second.call as Call];
  return {
    call: (event: never, context: never) => isTrue(a(event, context)) || b(event, context),
    iterative: first.iterative || second.iterative,
  };
}

/**
 * What a condition has answered. Anything truthy counts, except for a promise, which would be true always.
 *
 * @throws RsError `RS_ASYNC_NOT_ALLOWED`
 */
export function isTrue(answer: unknown): boolean {
  if (typeof answer === 'boolean') return answer;
  if (typeof answer === 'object' && answer !== null && 'then' in answer) {
    // Its rejection belongs to the error that says so.
    Promise.resolve(answer).catch(() => undefined);
    throw new RsError(
      'RS_ASYNC_NOT_ALLOWED',
      'a condition returned a promise; load what it needs before the event reaches the pattern',
    );
  }
  return Boolean(answer);
}

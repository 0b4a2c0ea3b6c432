import {
  type Collector,
  type DataStream,
  type KeyedProcessFunction,
  type KeyedStream,
  type MaybePromise,
  RsError,
  type StatefulOptions,
} from '@rs/core';
import type { PatternLike } from '../pattern/pattern.ts';
import type { KeyedMatch, PatternProcessOptions } from './options.ts';
import { PatternProcessFunction } from './pattern-process-function.ts';

/** What a pattern finds in a keyed stream. */
export interface PatternStream<K, T, S extends object> {
  /**
   * One result per match, with the time at which it became certain as its timestamp. Side outputs of the pattern are read from
   * the result. `fn` may return a promise, if the run can wait.
   *
   * @throws RsError at declaration: `RS_INVALID_ARGUMENT`, `RS_INVALID_NAME`. At run: `RS_USER_FUNCTION_FAILED`,
   *   `RS_ASYNC_IN_EAGER_RUN`; for conditions also `RS_ASYNC_NOT_ALLOWED`, for limits `RS_PATTERN_LIMIT`, for what has
   *   begun with a pattern of another structure `RS_PATTERN_MISMATCH`, for `throwOnMiss` `RS_PATTERN_SKIP_MISSED`
   */
  select<R>(fn: (match: KeyedMatch<K, T, S>) => MaybePromise<R>, options?: StatefulOptions): DataStream<R>;
  /**
   * Any number of results per match; `null` and `undefined` count as none. Otherwise as {@link select}.
   *
   * @throws RsError as `select`
   */
  flatSelect<R>(
    fn: (match: KeyedMatch<K, T, S>) => MaybePromise<Iterable<R> | null | undefined>,
    options?: StatefulOptions,
  ): DataStream<R>;
}

/** Patterns in keyed streams. */
export const CEP = {
  /**
   * Looks for a pattern in the events of each key: see {@link PatternProcessFunction}.
   *
   * ```ts
   * const alerts = CEP.pattern(logins.keyBy((login) => login.user), breakIn)
   *   .select(({ key, events }) => ({ user: key, from: events.success[0]?.from }), { uid: 'break-ins' });
   * ```
   *
   * @throws RsError `RS_INVALID_PATTERN` for a pattern that ends with `notFollowedBy` and has no `within`,
   *   `RS_INVALID_ARGUMENT` for an option that cannot be, and for a stream without keys
   */
  pattern<K, T, S extends object>(
    stream: KeyedStream<K, T>,
    pattern: PatternLike<T, S>,
    options: PatternProcessOptions<K, T, S> = {},
  ): PatternStream<K, T, S> {
    if (typeof (stream as Partial<KeyedStream<K, T>> | null)?.getMapState !== 'function') {
      throw new RsError(
        'RS_INVALID_ARGUMENT',
        'CEP.pattern: the first argument must be a keyed stream; group the stream with keyBy first',
        { details: { received: stream } },
      );
    }
    const find = (): Find<K, T, S> => new PatternProcessFunction(pattern, options);
    find(); // What cannot be is refused here.
    return {
      select: (fn, selectOptions) =>
        stream.process(selecting(find(), checked(fn, 'select'), collectOne), named(selectOptions)),
      flatSelect: (fn, selectOptions) =>
        stream.process(selecting(find(), checked(fn, 'flatSelect'), collectAll), named(selectOptions)),
    };
  },
} as const;

type Find<K, T, S extends object> = PatternProcessFunction<K, T, S>;

function collectOne<R>(result: R, out: Collector<R>): void {
  out.collect(result);
}

function collectAll<R>(results: Iterable<R> | null | undefined, out: Collector<R>): void {
  for (const result of results ?? []) out.collect(result);
}

/** Hands each match to a function, and its result on, in the order of the matches. */
function selecting<K, T, S extends object, X, R>(
  find: Find<K, T, S>,
  fn: (match: KeyedMatch<K, T, S>) => MaybePromise<X>,
  collect: (result: X, out: Collector<R>) => void,
): KeyedProcessFunction<K, T, R> {
  const through = (
    call: (matches: Collector<KeyedMatch<K, T, S>>) => void,
    out: Collector<R>,
  ): MaybePromise<void> => {
    const matches: KeyedMatch<K, T, S>[] = [];
    call({ collect: (match) => void matches.push(match) });
    return matches.length === 0 ? undefined : selected(matches, fn, (result) => collect(result, out));
  };
  return {
    open: (ctx) => find.open(ctx),
    processElement: (key, event, ctx, out) =>
      through((matches) => find.processElement(key, event, ctx, matches), out),
    onEventTime: (timestamp, key, ctx, out) =>
      through((matches) => find.onEventTime(timestamp, key, ctx, matches), out),
    onProcessingTime: (timestamp, key, ctx, out) =>
      through((matches) => find.onProcessingTime(timestamp, key, ctx, matches), out),
    onTimerGivenUp: (kind, timestamp, key, ctx) => find.onTimerGivenUp(kind, timestamp, key, ctx),
  };
}

/** Waits only where there is something to wait for. */
function selected<M, X>(
  matches: readonly M[],
  fn: (match: M) => MaybePromise<X>,
  collect: (result: X) => void,
): MaybePromise<void> {
  for (let i = 0; i < matches.length; i++) {
    const result = fn(matches[i] as M);
    if (isPromise(result)) return selectedLater(result, matches.slice(i + 1), fn, collect);
    collect(result);
  }
}

async function selectedLater<M, X>(
  first: PromiseLike<X>,
  others: readonly M[],
  fn: (match: M) => MaybePromise<X>,
  collect: (result: X) => void,
): Promise<void> {
  collect(await first);
  for (const match of others) collect(await fn(match));
}

function isPromise<X>(value: MaybePromise<X>): value is PromiseLike<X> & MaybePromise<X> {
  return typeof (value as { then?: unknown } | null | undefined)?.then === 'function';
}

function checked<F>(fn: F, method: string): F {
  if (typeof fn === 'function') return fn;
  throw new RsError('RS_INVALID_ARGUMENT', `CEP.pattern: ${method} needs a function (match) => …`, {
    details: { received: fn },
  });
}

function named(options: StatefulOptions | undefined): StatefulOptions {
  return { name: 'pattern', ...options };
}

import { RsError } from '../errors/rs-error.ts';
import type { AggregateFunction, ReduceFunction } from '../function/functions.ts';
import { type DescriptorBase, descriptorBase, type StateOptions } from './descriptor-base.ts';

/** The options but `reduce` are about the value that was reduced so far, which is what is stored. */
export interface ReducingStateOptions<T> extends StateOptions<T> {
  /** Synchronous; may change and return the accumulated value it was given. */
  readonly reduce: ReduceFunction<T>;
}

/** The options but `aggregate` are about the accumulator, which is what is stored. */
export interface AggregatingStateOptions<IN, ACC, OUT> extends StateOptions<ACC> {
  /** Synchronous; its `merge` is not used. */
  readonly aggregate: AggregateFunction<IN, ACC, OUT>;
}

export interface ReducingStateDescriptor<T> extends DescriptorBase<T> {
  readonly kind: 'reducing';
  readonly reduce: ReduceFunction<T>;
}

export interface AggregatingStateDescriptor<IN, ACC, OUT> extends DescriptorBase<ACC> {
  readonly kind: 'aggregating';
  readonly aggregate: AggregateFunction<IN, ACC, OUT>;
}

/**
 * One value per key, to which others are added: `add(value)` stores `reduce(stored, value)`, and the first value as it is.
 *
 * ```ts
 * const highest = reducingState<number>('highest', { reduce: (a, b) => Math.max(a, b) });
 * ```
 *
 * @throws RsError `RS_INVALID_ARGUMENT` when `reduce` is no function or an option has no valid value, `RS_INVALID_NAME`,
 *   `RS_INVALID_DURATION`
 */
export function reducingState<T>(name: string, options: ReducingStateOptions<T>): ReducingStateDescriptor<T> {
  const base = descriptorBase(name, options);
  const reduce: unknown = options.reduce;
  if (typeof reduce !== 'function') {
    throw new RsError(
      'RS_INVALID_ARGUMENT',
      `state '${name}': reduce must be a function that combines two values, such as (a, b) => a + b`,
      { details: { state: name, received: reduce } },
    );
  }
  return Object.freeze({ kind: 'reducing', reduce: options.reduce, ...base });
}

/**
 * One accumulator per key: `add(value)` folds values into it, and `get()` is the result of what was added.
 *
 * ```ts
 * const mean = aggregatingState('mean', {
 *   aggregate: {
 *     createAccumulator: () => ({ sum: 0, count: 0 }),
 *     add: (value: number, { sum, count }) => ({ sum: sum + value, count: count + 1 }),
 *     getResult: ({ sum, count }) => sum / count,
 *   },
 * });
 * ```
 *
 * @throws RsError `RS_INVALID_ARGUMENT` when `aggregate` lacks a function or an option has no valid value,
 *   `RS_INVALID_NAME`, `RS_INVALID_DURATION`
 */
export function aggregatingState<IN, ACC, OUT>(
  name: string,
  options: AggregatingStateOptions<IN, ACC, OUT>,
): AggregatingStateDescriptor<IN, ACC, OUT> {
  const base = descriptorBase(name, options);
  const aggregate: unknown = options.aggregate;
  const missing = ['createAccumulator', 'add', 'getResult'].filter(
    (method) => typeof (aggregate as Record<string, unknown> | null | undefined)?.[method] !== 'function',
  );
  if (missing.length > 0) {
    throw new RsError(
      'RS_INVALID_ARGUMENT',
      `state '${name}': aggregate must be an AggregateFunction, but it has no ${missing.join('(), no ')}()`,
      { details: { state: name, missing } },
    );
  }
  return Object.freeze({ kind: 'aggregating', aggregate: options.aggregate, ...base });
}

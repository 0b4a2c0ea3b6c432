import { RsError } from '../errors/rs-error.ts';
import type { AggregatingStateDescriptor, ReducingStateDescriptor } from './accumulating.ts';
import { type DescriptorBase, descriptorBase, type StateOptions } from './descriptor-base.ts';
import type {
  AggregatingState,
  LargeMapState,
  ListState,
  MapState,
  ReducingState,
  SetState,
  ValueState,
} from './state.ts';

export type StateKind = 'value' | 'map' | 'list' | 'set' | 'reducing' | 'aggregating' | 'largeMap';

export interface ValueStateOptions<T> extends StateOptions<T> {
  /** Makes the value of a key that has none; called for each such read, so values are never shared between keys. */
  readonly default?: () => T;
}

export interface ValueStateDescriptor<T> extends DescriptorBase<NonNullable<T>> {
  readonly kind: 'value';
  readonly default: (() => T) | undefined;
}

export interface MapStateDescriptor<K, V> extends DescriptorBase<V> {
  readonly kind: 'map';
  /** Carries the key type; never set. */
  readonly keyType?: K;
}

export interface LargeMapStateDescriptor<K, V> extends DescriptorBase<V> {
  readonly kind: 'largeMap';
  /** Carries the key type; never set. */
  readonly keyType?: K;
}

export interface ListStateDescriptor<T> extends DescriptorBase<T> {
  readonly kind: 'list';
}

export interface SetStateDescriptor<T> extends DescriptorBase<T> {
  readonly kind: 'set';
}

/** Names a state and says how it is stored. Immutable; one descriptor can be used by many streams. */
export type StateDescriptor =
  | ValueStateDescriptor<any> // eslint-disable-line @typescript-eslint/no-explicit-any -- variance: any descriptor fits
  | MapStateDescriptor<any, any> // eslint-disable-line @typescript-eslint/no-explicit-any -- the same
  | ListStateDescriptor<any> // eslint-disable-line @typescript-eslint/no-explicit-any -- the same
  | SetStateDescriptor<any> // eslint-disable-line @typescript-eslint/no-explicit-any -- the same
  | ReducingStateDescriptor<any> // eslint-disable-line @typescript-eslint/no-explicit-any -- the same
  | AggregatingStateDescriptor<any, any, any> // eslint-disable-line @typescript-eslint/no-explicit-any -- the same
  | LargeMapStateDescriptor<any, any>; // eslint-disable-line @typescript-eslint/no-explicit-any -- the same

/** The state that a descriptor names. */
export type StateOf<D> =
  D extends ValueStateDescriptor<infer T>
    ? ValueState<T>
    : D extends MapStateDescriptor<infer K, infer V>
      ? MapState<K, V>
      : D extends ListStateDescriptor<infer T>
        ? ListState<T>
        : D extends SetStateDescriptor<infer T>
          ? SetState<T>
          : D extends ReducingStateDescriptor<infer T>
            ? ReducingState<T>
            : D extends AggregatingStateDescriptor<infer IN, infer _ACC, infer OUT>
              ? AggregatingState<IN, OUT>
              : D extends LargeMapStateDescriptor<infer K, infer V>
                ? LargeMapState<K, V>
                : never;

/**
 * One value per key.
 *
 * ```ts
 * const count = valueState('count', { default: () => 0 });   // value() is a number
 * const last = valueState<Order>('last');                    // value() is Order | undefined
 * ```
 */
export function valueState<T>(
  name: string,
  options: ValueStateOptions<T> & { default: () => T },
): ValueStateDescriptor<T>;
export function valueState<T>(
  name: string,
  options?: ValueStateOptions<T>,
): ValueStateDescriptor<T | undefined>;
export function valueState<T>(name: string, options: ValueStateOptions<T> = {}): ValueStateDescriptor<T> {
  const base = descriptorBase(name, options as StateOptions<NonNullable<T>>);
  if (options.default !== undefined && typeof options.default !== 'function') {
    throw new RsError(
      'RS_INVALID_ARGUMENT',
      `state '${name}': default must be a function that makes the value, such as () => 0`,
      { details: { state: name, received: options.default } },
    );
  }
  return Object.freeze({ kind: 'value', default: options.default, ...base });
}

/**
 * One map per key. Its keys are compared by value, as the keys of a stream are, and must be what can be one: a text, a
 * finite number, a bigint, a boolean, bytes, or an array or plain object of these. Using another one throws
 * `RS_INVALID_KEY`.
 */
export function mapState<K, V>(name: string, options: StateOptions<V> = {}): MapStateDescriptor<K, V> {
  return Object.freeze({ kind: 'map', ...descriptorBase(name, options) });
}

/**
 * One map per key that is too big to be read whole with it, say over 1 MiB: its elements are read one by one when they are
 * asked for, so its methods that read return promises. The rules for its keys are those of {@link mapState}.
 */
export function largeMapState<K, V>(
  name: string,
  options: StateOptions<V> = {},
): LargeMapStateDescriptor<K, V> {
  return Object.freeze({ kind: 'largeMap', ...descriptorBase(name, options) });
}

/** One list per key. */
export function listState<T>(name: string, options: StateOptions<T> = {}): ListStateDescriptor<T> {
  return Object.freeze({ kind: 'list', ...descriptorBase(name, options) });
}

/**
 * One set per key. Its values are compared by value, as the keys of a stream are, and must be what can be one: a text, a
 * finite number, a bigint, a boolean, bytes, or an array or plain object of these. Using another one throws
 * `RS_INVALID_KEY`.
 */
export function setState<T>(name: string, options: StateOptions<T> = {}): SetStateDescriptor<T> {
  return Object.freeze({ kind: 'set', ...descriptorBase(name, options) });
}

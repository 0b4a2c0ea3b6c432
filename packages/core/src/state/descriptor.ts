import { RsError } from '../errors/rs-error.ts';
import { checkName } from '../names.ts';
import { type Duration, positiveDurationToMillis } from '../time/duration.ts';
import type { Codec } from './codec.ts';
import type { ListState, MapState, SetState, ValueState } from './state.ts';

export type StateKind = 'value' | 'map' | 'list' | 'set';

/** Options common to all states. */
export interface StateOptions<E> {
  /** How values (elements of collections) are stored. Default: JSON with tagged types, see `jsonCodec`. */
  readonly codec?: Codec<E>;
  /** Version of the stored form, an integer ≥ 1. Default 1. */
  readonly schemaVersion?: number;
  /** Turns a value stored under an older `schemaVersion` into the current form, when it is read. */
  readonly migrate?: (old: unknown, fromVersion: number) => E;
  /**
   * Time to live of a key's entry, counted from its last write. Default: it lives until it is cleared.
   * An expired entry is never returned.
   */
  readonly ttl?: Duration;
}

export interface ValueStateOptions<T> extends StateOptions<T> {
  /** Makes the value of a key that has none; called for each such read, so values are never shared between keys. */
  readonly default?: () => T;
}

interface DescriptorBase<E> {
  readonly name: string;
  readonly codec: Codec<E> | undefined;
  readonly schemaVersion: number;
  readonly migrate: ((old: unknown, fromVersion: number) => E) | undefined;
  /** Milliseconds, or `undefined` for no limit. */
  readonly ttl: number | undefined;
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
  | SetStateDescriptor<any>; // eslint-disable-line @typescript-eslint/no-explicit-any -- the same

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
  if (options.default !== undefined && typeof options.default !== 'function') {
    throw new RsError(
      'RS_INVALID_ARGUMENT',
      `state '${String(name)}': default must be a function that makes the value, such as () => 0`,
    );
  }
  return Object.freeze({
    kind: 'value',
    default: options.default,
    ...base(name, options as StateOptions<NonNullable<T>>),
  });
}

/**
 * One map per key. Its keys are compared by value, as the keys of a stream are, and must be what can be one: a text, a
 * finite number, a bigint, a boolean, bytes, or an array or plain object of these. Using another one throws
 * `RS_INVALID_KEY`.
 */
export function mapState<K, V>(name: string, options: StateOptions<V> = {}): MapStateDescriptor<K, V> {
  return Object.freeze({ kind: 'map', ...base(name, options) });
}

/** One list per key. */
export function listState<T>(name: string, options: StateOptions<T> = {}): ListStateDescriptor<T> {
  return Object.freeze({ kind: 'list', ...base(name, options) });
}

/**
 * One set per key. Its values are compared by value, as the keys of a stream are, and must be what can be one: a text, a
 * finite number, a bigint, a boolean, bytes, or an array or plain object of these. Using another one throws
 * `RS_INVALID_KEY`.
 */
export function setState<T>(name: string, options: StateOptions<T> = {}): SetStateDescriptor<T> {
  return Object.freeze({ kind: 'set', ...base(name, options) });
}

function base<E>(name: string, options: StateOptions<E>): DescriptorBase<E> {
  checkName(name, 'state name');
  const schemaVersion = options.schemaVersion ?? 1;
  if (!Number.isSafeInteger(schemaVersion) || schemaVersion < 1) {
    throw new RsError(
      'RS_INVALID_ARGUMENT',
      `state '${name}': schemaVersion must be an integer of at least 1, got ${String(schemaVersion)}`,
      { details: { state: name, received: schemaVersion } },
    );
  }
  return {
    name,
    codec: options.codec,
    schemaVersion,
    migrate: options.migrate,
    ttl:
      options.ttl === undefined ? undefined : positiveDurationToMillis(options.ttl, `ttl of state '${name}'`),
  };
}

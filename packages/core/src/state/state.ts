/**
 * State of the current key. Methods are synchronous, as the engine has read the key's state beforehand; only a
 * {@link LargeMapState} is read when it is asked.
 */
export interface State {
  /** Removes everything that is stored for the current key. */
  clear(): void;
}

export interface ValueState<T> extends State {
  /** The value, else the descriptor's default, else `undefined`. */
  value(): T;
  /**
   * Stores a value; `undefined` and `null` clear. An object changed in place without `update` is not defined: on a
   * backend the change is lost or seen depending on what is in memory. Always call `update`.
   */
  update(value: T | null | undefined): void;
}

/** A {@link MapState} that may only be read. */
export interface ReadonlyMapState<K, V> {
  get(key: K): V | undefined;
  contains(key: K): boolean;
  /** Entries in the order in which their keys were first put. */
  entries(): Iterable<[K, V]>;
  keys(): Iterable<K>;
  values(): Iterable<V>;
  isEmpty(): boolean;
}

export interface MapState<K, V> extends ReadonlyMapState<K, V>, State {
  put(key: K, value: V): void;
  remove(key: K): void;
}

export interface ListState<T> extends State {
  /** The elements in order; empty when there are none. A copy. */
  get(): T[];
  add(value: T): void;
  addAll(values: Iterable<T>): void;
  /** Replaces the whole list. */
  update(values: Iterable<T>): void;
}

export interface SetState<T> extends State {
  /** Returns true when the value was not in the set. */
  add(value: T): boolean;
  /** Returns true when the value was in the set. */
  remove(value: T): boolean;
  contains(value: T): boolean;
  /** The values in the order in which they were added. A copy. */
  get(): T[];
  isEmpty(): boolean;
  size(): number;
}

export interface ReducingState<T> extends State {
  /**
   * Combines `value` with what was added before.
   *
   * @throws RsError `RS_INVALID_VALUE` when `value` or the combined one is `undefined` or cannot be stored,
   *   `RS_ASYNC_NOT_ALLOWED` when the reduce function returns a promise
   */
  add(value: T): void;
  /** The combined value; `undefined` when nothing was added. It is the stored one itself: do not change it. */
  get(): T | undefined;
}

export interface AggregatingState<IN, OUT> extends State {
  /**
   * Adds `value` to the accumulator.
   *
   * @throws RsError `RS_INVALID_VALUE` when the accumulator that comes of it is `undefined` or cannot be stored,
   *   `RS_ASYNC_NOT_ALLOWED` when the aggregate function returns a promise
   */
  add(value: IN): void;
  /**
   * The result of what was added; `undefined` when that is nothing.
   *
   * @throws RsError `RS_ASYNC_NOT_ALLOWED` when the aggregate function returns a promise
   */
  get(): OUT | undefined;
}

/**
 * A map whose elements are read when they are asked for. A read gives the map as it was when the method was called,
 * whatever is changed while it waits. Changes are made at once; they wait for nothing.
 *
 * Await what the methods return before the function ends: a promise that is still pending when its record is settled is
 * rejected with `RS_CONTEXT_CLOSED`, and so are a loop's further steps.
 */
export interface LargeMapState<K, V> extends State {
  get(key: K): Promise<V | undefined>;
  contains(key: K): Promise<boolean>;
  /** @throws RsError `RS_INVALID_KEY`, `RS_INVALID_VALUE` for a value that the codec cannot store */
  put(key: K, value: V): void;
  remove(key: K): void;
  /**
   * The entries that are in the map when the loop begins, in the order of the canonical texts of their keys, read page by
   * page. A loop may change the map: what it removes before it comes to it is left out, what it changes is given as it
   * then is, and what it adds is not part of it.
   */
  entries(): AsyncIterable<[K, V]>;
  /** The keys of {@link entries}. */
  keys(): AsyncIterable<K>;
  /** The values of {@link entries}. */
  values(): AsyncIterable<V>;
  isEmpty(): Promise<boolean>;
}

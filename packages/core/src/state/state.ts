/** State of the current key. All methods are synchronous: the engine has read the key's state beforehand. */
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

export interface MapState<K, V> extends State {
  get(key: K): V | undefined;
  put(key: K, value: V): void;
  remove(key: K): void;
  contains(key: K): boolean;
  /** Entries in the order in which their keys were first put. */
  entries(): Iterable<[K, V]>;
  keys(): Iterable<K>;
  values(): Iterable<V>;
  isEmpty(): boolean;
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

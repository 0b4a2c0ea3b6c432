import {
  type Collector,
  type KeyedProcessFunction,
  type ProcessContext,
  RsError,
  type StateDescriptor,
  type StateOf,
  type ValueState,
} from '@rs/core';

type States = Map<string, Map<string, unknown>>;

/**
 * Runs a keyed process function as an engine does on one partition: state by key, in batches that are committed or undone, and
 * restarts. Only value states, no timers.
 */
export class KeyedRun<K, T, OUT> {
  processingTime = 0;
  /** State of each key as it is now: name of the state → value. */
  readonly #states: States = new Map();
  #committed: States = new Map();
  #fn: KeyedProcessFunction<K, T, OUT>;
  readonly #declared = new Set<StateDescriptor>();

  constructor(fn: KeyedProcessFunction<K, T, OUT>) {
    this.#fn = fn;
    this.#open();
  }

  /** What the function emits for a record. */
  process(key: K, value: T): OUT[] {
    const emitted: OUT[] = [];
    const out: Collector<OUT> = { collect: (result) => void emitted.push(result) };
    void this.#fn.processElement(key, value, this.#context(key), out);
    return emitted;
  }

  commit(): void {
    this.#committed = copied(this.#states);
  }

  /** What was done since the last commit has not been. The function is not told. */
  undo(): void {
    this.#states.clear();
    for (const [key, values] of copied(this.#committed)) this.#states.set(key, values);
  }

  /** Another function goes on with the state. */
  restart(fn: KeyedProcessFunction<K, T, OUT>): void {
    this.#fn = fn;
    this.#declared.clear();
    this.#open();
  }

  /** What is stored for a key. */
  stored(key: K, name: string): unknown {
    return this.#states.get(idOf(key))?.get(name);
  }

  store(key: K, name: string, value: unknown): void {
    this.#valuesOf(key).set(name, value);
  }

  /** Keys that have something stored, in the order of their texts. */
  get storedKeys(): string[] {
    return [...this.#states]
      .filter(([, values]) => values.size > 0)
      .map(([key]) => key)
      .sort();
  }

  #open(): void {
    this.#fn.open?.({
      state: (descriptor) => {
        this.#declared.add(descriptor);
        return this.#state(undefined, descriptor);
      },
    });
  }

  #context(key: K): ProcessContext<K> {
    const refused = () => {
      throw new RsError('RS_UNSUPPORTED', 'the fake context has no timers and no side outputs');
    };
    return {
      key,
      currentEventTime: () => 0,
      currentProcessingTime: () => this.processingTime,
      currentWatermark: () => -Infinity,
      registerEventTimeTimer: refused,
      registerProcessingTimeTimer: refused,
      deleteEventTimeTimer: refused,
      deleteProcessingTimeTimer: refused,
      output: refused,
      reportLate: refused,
      state: (descriptor) => this.#state(key, descriptor),
    };
  }

  #state<D extends StateDescriptor>(key: K | undefined, descriptor: D): StateOf<D> {
    if (!this.#declared.has(descriptor) || descriptor.kind !== 'value') {
      throw new RsError(
        'RS_STATE_UNDECLARED',
        `state '${descriptor.name}' is not declared, or no value state`,
      );
    }
    const values = () => {
      if (key === undefined) throw new RsError('RS_STATE_UNBOUND', 'there is no key');
      return this.#valuesOf(key);
    };
    const state: ValueState<unknown> = {
      value: () => values().get(descriptor.name),
      update: (value) => void values().set(descriptor.name, value),
      clear: () => void values().delete(descriptor.name),
    };
    return state as StateOf<D>;
  }

  #valuesOf(key: K): Map<string, unknown> {
    const id = idOf(key);
    const values = this.#states.get(id) ?? new Map<string, unknown>();
    this.#states.set(id, values);
    return values;
  }
}

/** Keys of tests are texts, or flat objects. */
function idOf(key: unknown): string {
  return typeof key === 'object' && key !== null
    ? JSON.stringify(key, Object.keys(key).sort())
    : JSON.stringify(key);
}

function copied(states: States): States {
  return new Map([...states].map(([key, values]) => [key, new Map(values)]));
}

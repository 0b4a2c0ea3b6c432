import {
  aggregatingState,
  largeMapState,
  listState,
  mapState,
  type OpenContext,
  type ProcessContext,
  reducingState,
  setState,
  type StateOptions,
  valueState,
} from '@rs/core';

/** What is done to one of the states of a key: `number` is added to it or put there, taken away, or all of it is. */
export interface StateCommand {
  readonly key: string;
  readonly kind: (typeof KINDS)[number];
  readonly action: 'add' | 'remove' | 'clear';
  readonly number: number;
}

export const KINDS = ['value', 'map', 'list', 'set', 'reducing', 'aggregating', 'largeMap'] as const;
export const ACTIONS = ['add', 'add', 'add', 'remove', 'clear'] as const;

/** One state of every kind, of numbers. */
export type KindsOfState = ReturnType<typeof kindsOfState>;

export function kindsOfState(options: Pick<StateOptions<unknown>, 'ttl' | 'schemaVersion'> = {}) {
  return {
    value: valueState<number>('value', options),
    map: mapState<number, number>('map', options),
    list: listState<number>('list', options),
    set: setState<number>('set', options),
    reducing: reducingState<number>('reducing', { ...options, reduce: (a, b) => a + b }),
    aggregating: aggregatingState('aggregating', {
      ...options,
      aggregate: {
        createAccumulator: () => ({ sum: 0, count: 0 }),
        add: (value: number, { sum, count }: { sum: number; count: number }) => ({
          sum: sum + value,
          count: count + 1,
        }),
        getResult: ({ sum, count }) => sum / count,
      },
    }),
    largeMap: largeMapState<number, number>('largeMap', options),
  };
}

export function declareAll(ctx: OpenContext, states: KindsOfState): void {
  for (const state of Object.values(states)) ctx.state(state);
}

/** Does what a command says to the states of the key. */
export function apply(
  { kind, action, number }: StateCommand,
  ctx: ProcessContext<unknown>,
  states: KindsOfState,
): void {
  if (action === 'clear') return ctx.state(states[kind]).clear();
  const adds = action === 'add';
  switch (kind) {
    case 'value':
      return ctx.state(states.value).update(adds ? number : null);
    case 'map':
      if (adds) return ctx.state(states.map).put(number % 5, number);
      return ctx.state(states.map).remove(number % 5);
    case 'list': {
      const list = ctx.state(states.list);
      if (adds) return list.add(number);
      return list.update(list.get().filter((each) => each % 5 !== number % 5));
    }
    case 'set':
      if (adds) return void ctx.state(states.set).add(number % 5);
      return void ctx.state(states.set).remove(number % 5);
    case 'reducing':
      return ctx.state(states.reducing).add(adds ? number : -number);
    case 'aggregating':
      return ctx.state(states.aggregating).add(adds ? number : -number);
    case 'largeMap':
      if (adds) return ctx.state(states.largeMap).put(number % 5, number);
      return ctx.state(states.largeMap).remove(number % 5);
  }
}

/** All that the states of the key hold. */
export async function contentsOf(ctx: ProcessContext<unknown>, states: KindsOfState): Promise<string> {
  const large: [number, number][] = [];
  for await (const entry of ctx.state(states.largeMap).entries()) large.push(entry);
  return shown(ctx.key, {
    value: ctx.state(states.value).value(),
    map: [...ctx.state(states.map).entries()],
    list: ctx.state(states.list).get(),
    set: ctx.state(states.set).get(),
    reducing: ctx.state(states.reducing).get(),
    aggregating: ctx.state(states.aggregating).get(),
    largeMap: large,
  });
}

interface Contents {
  value: number | undefined;
  map: [number, number][];
  list: number[];
  set: number[];
  reducing: number | undefined;
  aggregating: number | undefined;
  largeMap: [number, number][];
}

function shown(key: unknown, contents: Contents): string {
  return JSON.stringify({ key, ...contents });
}

/** The same in plain memory: what a job without faults has after each command. */
export function expectedContents(commands: readonly StateCommand[]): string[] {
  const keys = new Map<string, ModelStates>();
  return commands.map((command) => {
    const states = keys.get(command.key) ?? new ModelStates();
    keys.set(command.key, states);
    states.apply(command);
    return shown(command.key, states.contents());
  });
}

class ModelStates {
  #value: number | undefined;
  readonly #map = new Map<number, number>();
  #list: number[] = [];
  readonly #set = new Set<number>();
  #reduced: number | undefined;
  #added: number[] = [];
  readonly #large = new Map<number, number>();

  apply({ kind, action, number }: StateCommand): void {
    const place = number % 5;
    const signed = action === 'add' ? number : -number;
    switch (kind) {
      case 'value':
        this.#value = action === 'add' ? number : undefined;
        break;
      case 'map':
        change(this.#map, action, () => this.#map.set(place, number), place);
        break;
      case 'list':
        if (action === 'add') this.#list.push(number);
        else this.#list = action === 'clear' ? [] : this.#list.filter((each) => each % 5 !== place);
        break;
      case 'set':
        change(this.#set, action, () => this.#set.add(place), place);
        break;
      case 'reducing':
        this.#reduced = action === 'clear' ? undefined : (this.#reduced ?? 0) + signed;
        break;
      case 'aggregating':
        this.#added = action === 'clear' ? [] : [...this.#added, signed];
        break;
      case 'largeMap':
        change(this.#large, action, () => this.#large.set(place, number), place);
        break;
    }
  }

  contents(): Contents {
    const added = this.#added;
    return {
      value: this.#value,
      map: [...this.#map],
      list: this.#list,
      set: [...this.#set],
      reducing: this.#reduced,
      aggregating: added.length === 0 ? undefined : added.reduce((a, b) => a + b, 0) / added.length,
      largeMap: [...this.#large].sort(([a], [b]) => a - b),
    };
  }
}

function change(
  collection: { clear(): void; delete(place: number): boolean },
  action: StateCommand['action'],
  add: () => unknown,
  place: number,
): void {
  if (action === 'add') add();
  else if (action === 'clear') collection.clear();
  else collection.delete(place);
}

import type {
  AggregatingStateDescriptor,
  LargeMapStateDescriptor,
  ListStateDescriptor,
  MapStateDescriptor,
  ReducingStateDescriptor,
  SetStateDescriptor,
  StateDescriptor,
  ValueStateDescriptor,
} from '@rs/core';
import type { StateBackend } from '../driver/batched/backend.ts';
import type { KeptState } from '../operator/keyed-group.ts';
import { openSlot, type StateAccess } from './access.ts';
import { fillCell } from './format.ts';
import { stateHandle } from './handles.ts';
import { addressOf, type SchemaMismatch, StateStore } from './store.ts';

/** What a state holds for one key. */
export type StoredStateOf<D> =
  D extends ValueStateDescriptor<infer T>
    ? NonNullable<T> | undefined
    : D extends MapStateDescriptor<infer K, infer V>
      ? Map<K, V>
      : D extends LargeMapStateDescriptor<infer K, infer V>
        ? Map<K, V>
        : D extends ListStateDescriptor<infer T>
          ? T[]
          : D extends SetStateDescriptor<infer T>
            ? Set<T>
            : D extends ReducingStateDescriptor<infer T>
              ? T | undefined
              : D extends AggregatingStateDescriptor<infer _IN, infer _ACC, infer OUT>
                ? OUT | undefined
                : never;

export interface ReadStateOptions {
  /** What is done about values of a version that the descriptor cannot read. Default `fail`. */
  readonly schemaMismatch?: SchemaMismatch;
}

/**
 * Reads what is stored of a key: a value, or `undefined` where there is none (the descriptor's default is no stored
 * value), a collection, the result of an aggregate. What has expired is not there.
 *
 * @param kept where the state is stored; read by `descriptor`, which may be another object
 * @returns `undefined` when nothing at all is stored for the key
 * @throws RsError `RS_INVALID_KEY`, `RS_INVALID_VALUE` for what the descriptor cannot read
 */
export async function readState<D extends StateDescriptor>(
  backend: Pick<StateBackend, 'read' | 'scan'>,
  kept: Pick<KeptState, 'operator' | 'now'>,
  descriptor: D,
  key: unknown,
  options?: ReadStateOptions,
): Promise<StoredStateOf<D> | undefined>;
export async function readState(
  backend: Pick<StateBackend, 'read' | 'scan'>,
  { operator, now }: Pick<KeptState, 'operator' | 'now'>,
  descriptor: StateDescriptor,
  key: unknown,
  options: ReadStateOptions = {},
): Promise<unknown> {
  const store = new StateStore({
    ...options,
    resident: false,
    elements: {
      read: async (address) => (await backend.read([address]))[0],
      scan: (address, after, limit) => backend.scan(address, after, limit),
      failed: () => undefined,
    },
  });
  // What is stored says when it expires; that the job has a default for it is nothing that the reader knows.
  const slot = openSlot(store, descriptor, { operator, state: descriptor.name, now, ttl: Infinity });
  const access: StateAccess = { slot: () => slot, key: () => key, namespace: '', pin: () => access };
  if (descriptor.kind === 'largeMap') {
    const entries: [unknown, unknown][] = [];
    for await (const entry of stateHandle(descriptor, access).entries()) entries.push(entry);
    return entries.length === 0 ? undefined : new Map(entries);
  }
  const [stored] = await backend.read([addressOf(slot, key, '')]);
  fillCell(slot.insert(key, ''), stored);
  return slot.present(key, '') === undefined ? undefined : contentOf(descriptor, access);
}

/** The same for a key of which nothing is stored. */
export function emptyState<D extends StateDescriptor>(descriptor: D): StoredStateOf<D>;
export function emptyState({ kind }: StateDescriptor): unknown {
  switch (kind) {
    case 'map':
    case 'largeMap':
      return new Map();
    case 'list':
      return [];
    case 'set':
      return new Set();
    case 'value':
    case 'reducing':
    case 'aggregating':
      return undefined;
  }
}

function contentOf(
  descriptor: Exclude<StateDescriptor, { readonly kind: 'largeMap' }>,
  access: StateAccess,
): unknown {
  switch (descriptor.kind) {
    case 'value':
      return stateHandle(descriptor, access).value();
    case 'map':
      return new Map(stateHandle(descriptor, access).entries());
    case 'list':
      return stateHandle(descriptor, access).get();
    case 'set':
      return new Set(stateHandle(descriptor, access).get());
    case 'reducing':
    case 'aggregating':
      return stateHandle(descriptor, access).get();
  }
}

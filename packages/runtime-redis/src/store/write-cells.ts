import { RsError } from '@rs/core';
import type { CellAddress, CellChange, KeyAddress } from '@rs/runtime';
import type { StateKeys, TaskKeys } from '../keys/task-keys.ts';
import { cellField } from './cell-field.ts';
import type { ChangeList } from './change-list.ts';
import { shardIn, shardNumber } from './shard-key-of.ts';
import { StateChanges } from './state-changes.ts';
import { encodeValue } from './stored-value.ts';

/** What marks a large map: its elements have versions and expiry of their own. */
const LARGE_MAP = '0|';

/** Adds the changes of keyed state to a commit. Each cell is changed once at most, but for the `clear` of its key before. */
export function writeCells(list: ChangeList, keys: TaskKeys, changes: readonly CellChange[]): void {
  const states = new Map<StateKeys, StateChanges>();
  let last: KeyAddress | undefined;
  let own: { readonly keys: StateKeys; readonly changes: StateChanges } | undefined;
  for (const change of changes) {
    const { address } = change;
    // Looked up where it is another state than before: this is done for every cell.
    if (own === undefined || last?.state !== address.state || last.operator !== address.operator)
      own = changesOf(states, keys.state(address.operator, address.state));
    last = address;
    writeCell(own.changes, own.keys, change);
  }
  for (const [{ shards }, state] of states) state.addTo(list, shards);
}

function changesOf(
  states: Map<StateKeys, StateChanges>,
  keys: StateKeys,
): { readonly keys: StateKeys; readonly changes: StateChanges } {
  let changes = states.get(keys);
  if (changes === undefined) states.set(keys, (changes = new StateChanges()));
  return { keys, changes };
}

function writeCell(state: StateChanges, keys: StateKeys, change: CellChange): void {
  switch (change.op) {
    case 'put': {
      const { address, stored } = change;
      const value = encodeValue(stored.data, stored);
      if (address.onDemand) putElement(state, keys, address, value);
      else state.set(shardNumber(keys, address), cellField(address.key, address.namespace), value);
      return;
    }
    case 'delete': {
      const { address } = change;
      if (address.onDemand) removeElement(state, keys, address);
      else if (address.layout === 'elements') dropCollection(state, keys, address);
      else state.remove(shardIn(keys, address), cellField(address.key, address.namespace));
      return;
    }
    case 'elements':
      return writeCollection(state, keys, change);
    case 'clear':
      return clearMap(state, keys, change.address);
  }
}

function writeCollection(
  state: StateChanges,
  keys: StateKeys,
  change: Extract<CellChange, { op: 'elements' }>,
): void {
  const { address, clear, put, remove } = change;
  const field = cellField(address.key, address.namespace);
  const collection = keys.collection(field);
  if (clear) state.unlink(collection);
  for (const { id, data, order } of put) state.put(collection, id, encodeValue(data, { version: order }));
  for (const id of remove) state.remove(collection, id);
  state.mark(shardIn(keys, address), field, collection, encodeValue('', change));
}

function dropCollection(state: StateChanges, keys: StateKeys, address: CellAddress): void {
  const field = cellField(address.key, address.namespace);
  const collection = keys.collection(field);
  state.unlink(collection);
  state.mark(shardIn(keys, address), field, collection, '');
}

function putElement(
  state: StateChanges,
  keys: StateKeys,
  address: CellAddress,
  value: string | Buffer,
): void {
  const { collection, index } = markMap(state, keys, address);
  state.put(collection, address.namespace, value);
  state.name(index, address.namespace);
}

function removeElement(state: StateChanges, keys: StateKeys, address: CellAddress): void {
  const { collection, index } = markMap(state, keys, address);
  state.remove(collection, address.namespace);
  state.unname(index, address.namespace);
}

function clearMap(state: StateChanges, keys: StateKeys, address: KeyAddress): void {
  if (!address.onDemand) {
    const { operator, state: name } = address;
    throw new RsError(
      'RS_UNSUPPORTED',
      `state '${name}' of operator '${operator}' was cleared as a large map is, and is none; please report this as a bug`,
      { details: { operator, state: name } },
    );
  }
  const { collection, index } = markMap(state, keys, address);
  state.unlink(collection);
  state.unlink(index);
}

function markMap(
  state: StateChanges,
  keys: StateKeys,
  address: KeyAddress,
): { collection: string; index: string } {
  const field = cellField(address.key, '');
  const collection = keys.collection(field);
  state.mark(shardIn(keys, address), field, collection, LARGE_MAP);
  return { collection, index: keys.index(field) };
}

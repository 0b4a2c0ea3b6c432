import { RsError } from '@rs/core';
import type { RedisArgument, RedisReply, ScriptCall } from '@rs/redis';
import type { CellAddress, StoredCell, StoredElement } from '@rs/runtime';
import type { TaskKeys } from '../keys/task-keys.ts';
import { readCells } from '../lua/scripts.generated.ts';
import { cellField } from './cell-field.ts';
import { orderedBytes, orderedText } from './ordered-text.ts';
import { bytes, list } from './replies.ts';
import { shardIn } from './shard-key-of.ts';
import { decodeValue, type StoredData } from './stored-value.ts';

/** A call that reads cells, and where what it returns belongs. */
export interface CellReads {
  readonly call: ScriptCall;
  /** Places of the addresses, in the order of the reply. */
  readonly places: readonly number[];
}

interface HashReads {
  readonly number: number;
  readonly fields: RedisArgument[];
  readonly places: number[];
}

/** Plans the reading of cells: values that lie in one hash are read together. */
export function planReads(keys: TaskKeys, addresses: readonly CellAddress[], token: string): CellReads {
  const read: string[] = [];
  const hashes = new Map<string, HashReads>();
  const collections: RedisArgument[] = [];
  const collected: number[] = [];
  addresses.forEach((address, place) => {
    const { operator, state, layout, key, namespace, onDemand } = address;
    const own = keys.state(operator, state);
    if (layout === 'elements') {
      const field = cellField(key, namespace);
      const mark = hashOf(hashes, read, shardIn(own, address));
      collections.push('c', mark.number, read.push(own.collection(field)), orderedBytes(field));
      collected.push(place);
      return;
    }
    const hash = hashOf(hashes, read, onDemand ? own.collection(cellField(key, '')) : shardIn(own, address));
    hash.fields.push(orderedBytes(onDemand ? namespace : cellField(key, namespace)));
    hash.places.push(place);
  });
  const wanted: RedisArgument[] = [];
  const places: number[] = [];
  for (const hash of hashes.values()) {
    if (hash.fields.length === 0) continue;
    wanted.push('v', hash.number, hash.fields.length);
    for (const field of hash.fields) wanted.push(field);
    places.push(...hash.places);
  }
  return {
    call: readCells({ keys: { own: keys.own, read }, args: { token, wanted: [...wanted, ...collections] } }),
    places: [...places, ...collected],
  };
}

/** What was read of one address, as the kernel knows it. */
export function decodeCell(reply: RedisReply | undefined, address: CellAddress): StoredCell | undefined {
  if (reply === null) return undefined;
  if (address.layout === 'value') return valueCell(decodeValue(bytes(reply), address));
  const [mark, content] = list(reply);
  const { version, expiresAt, data } = decodeValue(bytes(mark), address);
  if (data !== '' || version === 0) throw otherKind(address);
  const flat = list(content);
  const elements: StoredElement[] = [];
  for (let at = 0; at < flat.length; at += 2) {
    const { data, version: order } = decodeValue(bytes(flat[at + 1]), address);
    elements.push({ id: orderedText(bytes(flat[at])), order, data });
  }
  return { layout: 'elements', elements, version, ...(expiresAt === undefined ? {} : { expiresAt }) };
}

/** What stands in the place of a mark is a value, or the mark of a large map. */
function otherKind({ operator, state }: CellAddress): RsError {
  return new RsError(
    'RS_INVALID_VALUE',
    `state '${state}' of operator '${operator}' was stored as another kind of state; was its type changed?`,
    { details: { operator, state } },
  );
}

export function valueCell(stored: StoredData): StoredCell {
  return { layout: 'value', ...stored };
}

function hashOf(hashes: Map<string, HashReads>, read: string[], key: string): HashReads {
  let hash = hashes.get(key);
  if (hash === undefined) hashes.set(key, (hash = { number: read.push(key), fields: [], places: [] }));
  return hash;
}

import type { CellAddress, CellChange, OperatorTimerChange, StoredElement } from '@rs/runtime';
import fc from 'fast-check';
import { address } from './new-commit.ts';

/** Keys that others could be taken for, or that cannot be sent as they are. */
export const KEYS = [
  's:a',
  's:b',
  's:a%',
  '3:s:a5',
  's:é',
  's:\ud83d',
  's:😀',
  's:\ude00',
  '',
  '%d800',
  'n:1',
] as const;
export const NAMESPACES = ['', '5', '10', '5|9', 's:\ud83d', 's:😀'] as const;
/** Names of elements of a large map: none is empty. */
export const NAMES = ['s:a', 's:b', 's:é', 's:😀', 's:\ud83d', 's:\ude00', 'n:1', 'n:10', '\0'] as const;

export interface RandomBatch {
  readonly cells: readonly CellChange[];
  readonly timers: readonly OperatorTimerChange[];
}

export const valueAt = (key: string, namespace: string): CellAddress => address({ key, namespace });
export const collectionAt = (key: string, namespace: string): CellAddress =>
  address({ state: 'list', layout: 'elements', key, namespace });
export const elementAt = (key: string, namespace: string): CellAddress =>
  address({ state: 'large', onDemand: true, key, namespace });

const key = fc.constantFrom(...KEYS);
const namespace = fc.constantFrom(...NAMESPACES);
const data = fc.oneof(
  fc.string({ maxLength: 4 }),
  fc.constantFrom('\ud800', '1|2', '😀'),
  fc.uint8Array({ maxLength: 3 }),
);
const facts = fc.record(
  { version: fc.nat({ max: 12 }), expiresAt: fc.nat(), meta: fc.constantFrom('', '{"a":"|"}', 'é') },
  { requiredKeys: ['version'] },
);

const valueChange: fc.Arbitrary<CellChange> = fc.oneof(
  fc.tuple(key, namespace, data, facts).map(([at, within, encoded, rest]): CellChange => ({
    address: valueAt(at, within),
    op: 'put',
    stored: { layout: 'value', data: encoded, ...rest },
  })),
  fc
    .tuple(key, namespace)
    .map(([at, within]): CellChange => ({ address: valueAt(at, within), op: 'delete' })),
);

const element: fc.Arbitrary<StoredElement> = fc.record({
  id: fc.constantFrom('0', '1', '2', 's:\ud83d', 's:é'),
  order: fc.nat({ max: 20 }),
  data,
});

const collectionChange: fc.Arbitrary<CellChange> = fc.oneof(
  fc
    .record(
      {
        address: fc.tuple(key, namespace).map(([at, within]) => collectionAt(at, within)),
        op: fc.constant('elements' as const),
        clear: fc.boolean(),
        put: fc.uniqueArray(element, { maxLength: 3, selector: ({ id }) => id }),
        remove: fc.uniqueArray(fc.constantFrom('0', '1', '3', 's:é'), { maxLength: 2 }),
        version: fc.integer({ min: 1, max: 12 }),
        expiresAt: fc.nat(),
      },
      { requiredKeys: ['address', 'op', 'clear', 'put', 'remove', 'version'] },
    )
    // An element is put or removed: its state in the end.
    .map(({ remove, ...change }) => ({
      ...change,
      remove: remove.filter((id) => change.put.every((each) => each.id !== id)),
    })),
  fc
    .tuple(key, namespace)
    .map(([at, within]): CellChange => ({ address: collectionAt(at, within), op: 'delete' })),
);

const elementChange: fc.Arbitrary<CellChange> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc
      .tuple(key, fc.constantFrom(...NAMES), data, facts)
      .map(([at, name, encoded, rest]): CellChange => ({
        address: elementAt(at, name),
        op: 'put',
        stored: { layout: 'value', data: encoded, ...rest },
      })),
  },
  fc
    .tuple(key, fc.constantFrom(...NAMES))
    .map(([at, name]): CellChange => ({ address: elementAt(at, name), op: 'delete' })),
  key.map((at): CellChange => {
    const { operator, state, layout, onDemand } = elementAt(at, '');
    return { address: { operator, state, layout, onDemand, key: at }, op: 'clear' };
  }),
);

/** As the kernel gives them: each cell once, and what removes many first. */
const cells = fc
  .array(fc.oneof(valueChange, collectionChange, elementChange), { maxLength: 12 })
  .map((changes) => {
    const unique = new Map(changes.map((change) => [identityOf(change), change]));
    return [...unique.values()].sort((a, b) => Number(b.op === 'clear') - Number(a.op === 'clear'));
  });

function identityOf({ op, address: at }: CellChange): string {
  return JSON.stringify([op === 'clear', at.state, at.key, 'namespace' in at ? at.namespace : '']);
}

const timer: fc.Arbitrary<OperatorTimerChange> = fc.record({
  operator: fc.constantFrom('op', 'keyBy-3:received'),
  kind: fc.constantFrom('event', 'processing'),
  op: fc.constantFrom('add', 'add', 'remove'),
  time: fc.constantFrom(-5, 0, 5, 10, 1_700_000_000_000),
  key,
  namespace,
});

export const randomBatch: fc.Arbitrary<RandomBatch> = fc.record({
  cells,
  timers: fc.array(timer, { maxLength: 12 }),
});

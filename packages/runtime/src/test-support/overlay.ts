import type { StateDescriptor, StateOf } from '@rs/core';
import { type AnySlot, openSlot, type StateAccess } from '../state/access.ts';
import type { Namespace } from '../state/cell.ts';
import { fillCell } from '../state/format.ts';
import { stateHandle } from '../state/handles.ts';
import { addressOf, StateStore } from '../state/store.ts';
import type { CellChange } from '../state/stored.ts';
import { CommitLogBackend } from '../testing/commit-log-backend.ts';
import { FakeClock } from './fake-clock.ts';

/** A state store over an asynchronous backend, with what a driver does around it. */
export class Overlay {
  readonly backend: CommitLogBackend;
  readonly clock: FakeClock;
  readonly store: StateStore;
  /** Errors of reads on demand. */
  readonly failures: unknown[] = [];

  /** @param previous the task that has crashed; its committed state is found again */
  constructor(previous?: Overlay) {
    this.backend = previous?.backend ?? new CommitLogBackend();
    this.clock = previous?.clock ?? new FakeClock();
    this.store = new StateStore({
      resident: false,
      elements: {
        read: async (address) => (await this.backend.read([address]))[0],
        scan: (address, after, limit) => this.backend.scan(address, after, limit),
        failed: (error) => void this.failures.push(error),
      },
    });
  }

  open(descriptor: StateDescriptor): AnySlot {
    return openSlot(this.store, descriptor, {
      operator: 'op',
      state: descriptor.name,
      now: () => this.clock.now(),
    });
  }

  /** Reads a cell, unless it is in memory. */
  async load(slot: AnySlot, key: unknown, namespace: Namespace = ''): Promise<void> {
    if (slot.find(key, namespace) !== undefined) return;
    const [stored] = await this.backend.read([addressOf(slot, key, namespace)]);
    fillCell(slot.insert(key, namespace), stored);
  }

  /** The handle of one key's state, read beforehand. */
  async handle<D extends StateDescriptor>(
    slot: AnySlot,
    descriptor: D,
    key: unknown = 'k',
  ): Promise<StateOf<D>> {
    if (!slot.onDemand) await this.load(slot, key);
    return stateHandle(
      descriptor,
      accessTo(slot, () => key),
    );
  }

  /** Returns what was committed. */
  async commit(): Promise<CellChange[]> {
    const cells = this.store.changes();
    const seq = (this.backend.commits().at(-1)?.seq ?? 0) + 1;
    await this.backend.commit({
      seq,
      offset: 0,
      cells,
      timers: [],
      outputs: [],
      sent: [],
      operators: {},
      late: {},
    });
    this.store.committed();
    return cells;
  }
}

/** Access to a slot in the hands of a test; `key` may throw, as it does once a record is settled. */
export function accessTo(slot: AnySlot, key: () => unknown, namespace: Namespace = ''): StateAccess {
  const access: StateAccess = { slot: () => slot, key, namespace, pin: () => access };
  return access;
}

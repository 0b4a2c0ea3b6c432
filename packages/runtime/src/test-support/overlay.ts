import type { StateDescriptor, StateOf } from '@rs/core';
import { type AnySlot, openSlot, type StateAccess } from '../state/access.ts';
import type { Namespace } from '../state/cell.ts';
import { stateHandle } from '../state/handles.ts';
import { addressOf, type SchemaMismatch, StateStore } from '../state/store.ts';
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
  #underWay: readonly CellChange[] | undefined;

  /** @param previous the task that has crashed; its committed state is found again */
  constructor(previous?: Overlay, schemaMismatch?: SchemaMismatch) {
    this.backend = previous?.backend ?? new CommitLogBackend();
    this.clock = previous?.clock ?? new FakeClock();
    this.store = new StateStore({
      resident: false,
      schemaMismatch,
      elements: {
        read: async (address) => {
          await this.arrive();
          return (await this.backend.read([address]))[0];
        },
        scan: async (address, after, limit) => {
          await this.arrive();
          return this.backend.scan(address, after, limit);
        },
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
    slot.load(slot.insert(key, namespace), stored);
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
    const cells = await this.handOver();
    await this.settle();
    return cells;
  }

  /** Returns what is on its way from now on; it arrives when somebody waits for it. */
  async handOver(): Promise<CellChange[]> {
    await this.settle();
    const cells = this.store.changes();
    this.store.collected();
    this.#underWay = cells;
    return cells;
  }

  /** Waits for what is on its way, between two records. */
  async settle(): Promise<void> {
    await this.arrive();
    this.store.applied();
  }

  /** Waits for it while a record is open. Returns whether there was anything. */
  async arrive(): Promise<boolean> {
    const cells = this.#underWay;
    if (cells === undefined) return false;
    this.#underWay = undefined;
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
    return true;
  }
}

/** Access to a slot in the hands of a test; `key` may throw, as it does once a record is settled. */
export function accessTo(slot: AnySlot, key: () => unknown, namespace: Namespace = ''): StateAccess {
  const access: StateAccess = { slot: () => slot, key, namespace, pin: () => access };
  return access;
}

import type { StateDescriptor, StateOf } from '@rs/core';
import { type AnySlot, openSlot } from '../state/access.ts';
import type { Namespace } from '../state/cell.ts';
import { stateHandle } from '../state/handles.ts';
import { StateStore } from '../state/store.ts';
import { FakeClock } from './fake-clock.ts';
import { accessTo } from './overlay.ts';

/** A handle on one state in memory, whose current key a test sets by hand. */
export class ResidentState<D extends StateDescriptor> {
  readonly clock = new FakeClock();
  readonly store = new StateStore({ resident: true });
  readonly slot: AnySlot;
  readonly handle: StateOf<D>;
  key: unknown = 'k';

  constructor(descriptor: D, namespace: Namespace = '') {
    this.slot = openSlot(this.store, descriptor, {
      operator: 'op',
      state: descriptor.name,
      now: () => this.clock.now(),
    });
    this.handle = stateHandle(
      descriptor,
      accessTo(this.slot, () => this.key, namespace),
    );
  }

  /** Does something for a key. */
  for<R>(key: unknown, step: (handle: StateOf<D>) => R): R {
    this.key = key;
    return step(this.handle);
  }

  get cells(): number {
    return [...this.slot.cells()].length;
  }
}

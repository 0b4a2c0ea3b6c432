import { RsError } from '@rs/core';
import { isPromise, silence } from '../promise.ts';
import type { StateAccess } from './access.ts';
import type { Cell } from './cell.ts';
import type { StateSlot } from './slot.ts';

/** What the handles of states with one cell per key share. */
export abstract class Handle<V> {
  protected readonly access: StateAccess;

  constructor(access: StateAccess) {
    this.access = access;
  }

  clear(): void {
    const cell = this.present();
    if (cell !== undefined) cell.slot.remove(cell);
  }

  protected present(): Cell<V> | undefined {
    return this.#slot().present(this.access.key(), this.access.namespace);
  }

  protected obtain(): Cell<V> {
    return this.#slot().obtain(this.access.key(), this.access.namespace);
  }

  /** The slot was opened for the descriptor that this handle was made for, so its values are V. */
  #slot(): StateSlot<V> {
    return this.access.slot() as StateSlot<V>;
  }
}

/** Refuses a promise from a function of a state's descriptor, for which nobody could wait. */
export function assertNoPromise(state: string, fn: string, result: unknown): void {
  if (!isPromise(result)) return;
  silence(result);
  throw new RsError(
    'RS_ASYNC_NOT_ALLOWED',
    `state '${state}': its ${fn} must be synchronous, it returned a promise; do asynchronous work in the function that uses the state`,
    { details: { state } },
  );
}

import { RsError } from '@rs/core';
import type { AnySlot, StateAccess } from '../state/access.ts';
import type { OpenScope, Task } from './task.ts';

/** What belongs to one call of a user function. It ends with the call, so nothing can be added to a record that is settled. */
export abstract class CallScope implements OpenScope {
  readonly #operator: string;
  #open = true;

  /** @param operator how messages call the operator */
  constructor(operator: string) {
    this.#operator = operator;
  }

  close(): void {
    this.#open = false;
  }

  /** Keeps the scope open until the promise is settled, or the task is stopped or rewound. */
  async closeAfter<R>(promise: PromiseLike<R>, task: Task): Promise<R> {
    task.keepOpen(this);
    try {
      return await promise;
    } finally {
      task.release(this);
      this.close();
    }
  }

  protected assertOpen(): void {
    if (this.#open) return;
    throw new RsError(
      'RS_CONTEXT_CLOSED',
      `${this.#operator}: the context, collector or state of a record was used after the record was settled; ` +
        'an async function must await everything that uses them before it returns',
      { details: { operator: this.#operator } },
    );
  }
}

/**
 * The key that a call is about, and the slots of its partition, by index of declaration. Reading either throws
 * `RS_CONTEXT_CLOSED` once the call is over.
 */
export interface BoundKey extends OpenScope {
  readonly key: unknown;
  readonly slots: readonly AnySlot[];
}

/** For a function that is given no context. */
export class KeyScope extends CallScope implements BoundKey {
  readonly #key: unknown;
  readonly #slots: readonly AnySlot[];

  constructor(operator: string, key: unknown, slots: readonly AnySlot[]) {
    super(operator);
    this.#key = key;
    this.#slots = slots;
  }

  get key(): unknown {
    this.assertOpen();
    return this.#key;
  }

  get slots(): readonly AnySlot[] {
    this.assertOpen();
    return this.#slots;
  }
}

/** State of the key that a call is about; ends with the call. */
export class CallAccess implements StateAccess {
  readonly namespace = '';
  readonly #bound: BoundKey;
  readonly #index: number;

  constructor(bound: BoundKey, index: number) {
    this.#bound = bound;
    this.#index = index;
  }

  slot(): AnySlot {
    return this.#bound.slots[this.#index] as AnySlot;
  }

  key(): unknown {
    return this.#bound.key;
  }

  pin(): StateAccess {
    return this;
  }
}

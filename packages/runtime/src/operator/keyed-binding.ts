import { RsError, type StateDescriptor, type StateOf } from '@rs/core';
import type { AnySlot, StateAccess } from '../state/access.ts';
import { stateHandle } from '../state/handles.ts';
import { type BoundKey, CallAccess } from './call-scope.ts';

export interface DeclaredState {
  /** What the state is stored by: the first descriptor that declared it. */
  readonly descriptor: StateDescriptor;
  /** The operator that declared it; `undefined` when the keyed stream did. */
  readonly owner: object | undefined;
  /** All descriptors that mean it: `open` may make a new one on each partition and in each run. */
  readonly descriptors: Set<StateDescriptor>;
}

/**
 * What a keyed stream has declared, shared by the streams mapped from it and by all partitions.
 *
 * Its handles belong to no partition: they find the current key through {@link active}, which an operator sets for the
 * synchronous part of a callback. That is safe because such parts never interleave.
 */
export class KeyedBinding {
  /** The call whose synchronous part is running. */
  active: BoundKey | undefined = undefined;
  /** What messages call the stream. */
  readonly stream: 'keyed stream' | 'connected streams';
  readonly #declared: DeclaredState[] = [];

  constructor(stream: KeyedBinding['stream'] = 'keyed stream') {
    this.stream = stream;
  }

  declared(): readonly DeclaredState[] {
    return this.#declared;
  }

  /** Declares a state; declaring it again gives another handle of the same state. */
  declare<D extends StateDescriptor>(descriptor: D, owner?: object): StateOf<D> {
    const known = this.#declared.findIndex(
      (one) => one.owner === owner && one.descriptor.name === descriptor.name,
    );
    if (known >= 0) this.#declareAgain(this.#declared[known] as DeclaredState, descriptor);
    const descriptors = new Set<StateDescriptor>([descriptor]);
    const index = known >= 0 ? known : this.#declared.push({ descriptor, owner, descriptors }) - 1;
    return stateHandle(descriptor, new BoundAccess(this, index, descriptor.name));
  }

  #declareAgain({ descriptor: first, owner, descriptors }: DeclaredState, descriptor: StateDescriptor): void {
    if (first === descriptor) return;
    if (owner === undefined || !storesAlike(first, descriptor)) {
      throw new RsError(
        'RS_INVALID_ARGUMENT',
        `state '${descriptor.name}' is declared twice with different descriptors; use one descriptor, or two names`,
        { details: { state: descriptor.name } },
      );
    }
    descriptors.add(descriptor);
  }

  /** Index of the slot that `ctx.state(descriptor)` means, for the operator that asks. */
  indexOf(descriptor: StateDescriptor, owner: object): number {
    const declaredBy = (by: object | undefined) =>
      this.#declared.findIndex((one) => one.owner === by && one.descriptors.has(descriptor));
    const own = declaredBy(owner);
    const index = own >= 0 ? own : declaredBy(undefined);
    if (index >= 0) return index;
    const { name } = descriptor;
    const namesake = this.#declared.some(
      (one) => one.descriptor.name === name && (one.owner === owner || one.owner === undefined),
    );
    throw new RsError(
      'RS_STATE_UNDECLARED',
      namesake
        ? `state '${name}' was declared by another descriptor of that name; make the descriptor once, and use that very object everywhere`
        : `state '${name}' was not declared; call ${this.#declaring} when the job is defined, or ctx.state(descriptor) in open`,
      { details: { state: name } },
    );
  }

  /**
   * Runs the synchronous part of a callback, with a current key if it is about one. Callbacks nest where one calls the next
   * operator.
   */
  run<R>(bound: BoundKey | undefined, callback: () => R): R {
    return this.#with(bound, callback);
  }

  /**
   * Sends a result on from within a callback: what is downstream is no callback of this stream, and has no key of it,
   * whether it is called at once or later.
   */
  pause(send: () => void): void {
    this.#with(undefined, send);
  }

  get #declaring(): string {
    return this.stream === 'keyed stream'
      ? 'keyed.getState(descriptor)'
      : 'getState(descriptor) on the connected streams, not on one of the two,';
  }

  #with<R>(active: BoundKey | undefined, callback: () => R): R {
    const outer = this.active;
    this.active = active;
    try {
      return callback();
    } finally {
      this.active = outer;
    }
  }
}

class BoundAccess implements StateAccess {
  readonly namespace = '';
  readonly #binding: KeyedBinding;
  readonly #index: number;
  readonly #name: string;

  constructor(binding: KeyedBinding, index: number, name: string) {
    this.#binding = binding;
    this.#index = index;
    this.#name = name;
  }

  key(): unknown {
    return this.#bound().key;
  }

  slot(): AnySlot {
    const slot = this.#bound().slots[this.#index];
    if (slot === undefined) throw this.#unbound('in another run');
    return slot;
  }

  pin(): StateAccess {
    this.slot();
    return new CallAccess(this.#bound(), this.#index);
  }

  #bound(): BoundKey {
    const bound = this.#binding.active;
    if (bound === undefined)
      throw this.#unbound(`outside of the synchronous part of a callback on its ${this.#binding.stream}`);
    return bound;
  }

  get #instead(): string {
    const advice = 'async callbacks take ctx.state(descriptor) instead';
    return this.#binding.stream === 'keyed stream'
      ? `${advice}, and behind connect the state is declared on the connected streams`
      : advice;
  }

  #unbound(where: string): RsError {
    return new RsError('RS_STATE_UNBOUND', `state '${this.#name}' was used ${where}; ${this.#instead}`, {
      details: { state: this.#name },
    });
  }
}

function storesAlike(a: StateDescriptor, b: StateDescriptor): boolean {
  return (
    a.kind === b.kind &&
    a.schemaVersion === b.schemaVersion &&
    a.ttl === b.ttl &&
    a.codec?.name === b.codec?.name &&
    (a.migrate === undefined) === (b.migrate === undefined)
  );
}

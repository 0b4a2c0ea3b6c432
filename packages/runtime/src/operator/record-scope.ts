import {
  checkTimestamp,
  type Collector,
  type OutputTag,
  type ProcessContext,
  RsError,
  type StateDescriptor,
  type StateOf,
  type WindowContext,
} from '@rs/core';
import type { AnySlot, StateAccess } from '../state/access.ts';
import { stateHandle } from '../state/handles.ts';
import type { KeyedBinding } from './keyed-binding.ts';
import type { OpenScope, Task } from './task.ts';
import type { TimerKind } from './timed-operator.ts';

/** What a scope may do, on behalf of the operator that runs the callback. */
export interface ScopeHost {
  readonly operator: string;
  emit(value: unknown, timestamp: number): void;
  emitSide(tag: string, value: unknown, timestamp: number): void;
  watermarkNow(): number;
  currentProcessingTime(): number;
}

/** As {@link ScopeHost}, for callbacks with a key, timers and state. */
export interface KeyedScopeHost extends ScopeHost {
  readonly binding: KeyedBinding;
  /** Identity of the operator in the binding. */
  readonly owner: object;
  slots(): readonly AnySlot[];
  registerTimer(kind: TimerKind, time: number, key: unknown): void;
  deleteTimer(kind: TimerKind, time: number, key: unknown): void;
}

/**
 * Context and collector of one call of a user function. It ends with the call: what user code keeps of it throws
 * `RS_CONTEXT_CLOSED`, so nothing can be added to a record that is already settled.
 */
export class RecordScope<K, H extends ScopeHost = ScopeHost>
  implements WindowContext<K>, Collector<unknown>, OpenScope
{
  protected readonly host: H;
  readonly #key: K;
  readonly #timestamp: number;
  #open = true;

  constructor(host: H, key: K, timestamp: number) {
    this.host = host;
    this.#key = key;
    this.#timestamp = timestamp;
  }

  get key(): K {
    this.assertOpen();
    return this.#key;
  }

  currentEventTime(): number {
    this.assertOpen();
    return this.#timestamp;
  }

  currentProcessingTime(): number {
    this.assertOpen();
    return this.host.currentProcessingTime();
  }

  currentWatermark(): number {
    this.assertOpen();
    return this.host.watermarkNow();
  }

  collect(value: unknown): void {
    this.assertOpen();
    this.host.emit(value, this.#timestamp);
  }

  output<X>(tag: OutputTag<X>, value: X): void {
    this.assertOpen();
    if (typeof (tag as Partial<OutputTag<X>> | undefined)?.name !== 'string') {
      throw new RsError(
        'RS_INVALID_ARGUMENT',
        `${this.host.operator}: ctx.output needs a tag made by outputTag(name)`,
      );
    }
    this.host.emitSide(tag.name, value, this.#timestamp);
  }

  close(): void {
    this.#open = false;
  }

  /** Keeps the scope open until the promise is settled, or the task is stopped or rewound. */
  async closeAfter(promise: PromiseLike<unknown>, task: Task): Promise<void> {
    task.keepOpen(this);
    try {
      await promise;
    } finally {
      task.release(this);
      this.close();
    }
  }

  protected assertOpen(): void {
    if (this.#open) return;
    throw new RsError(
      'RS_CONTEXT_CLOSED',
      `${this.host.operator}: the context or collector of a record was used after the record was settled; ` +
        'an async function must await everything that uses them before it returns',
      { details: { operator: this.host.operator } },
    );
  }
}

/** Scope of a process function: also timers and state. */
export class ProcessScope<K>
  extends RecordScope<K, KeyedScopeHost>
  implements ProcessContext<K>, StateAccessOwner
{
  registerEventTimeTimer(timestamp: number): void {
    this.#register('event', timestamp);
  }

  registerProcessingTimeTimer(timestamp: number): void {
    this.#register('processing', timestamp);
  }

  deleteEventTimeTimer(timestamp: number): void {
    this.host.deleteTimer('event', timestamp, this.key);
  }

  deleteProcessingTimeTimer(timestamp: number): void {
    this.host.deleteTimer('processing', timestamp, this.key);
  }

  state<D extends StateDescriptor>(descriptor: D): StateOf<D> {
    this.assertOpen();
    return stateHandle(
      descriptor,
      new ScopeAccess(this, this.host.binding.indexOf(descriptor, this.host.owner)),
    );
  }

  slotAt(index: number): AnySlot {
    this.assertOpen();
    return this.host.slots()[index] as AnySlot;
  }

  #register(kind: TimerKind, timestamp: number): void {
    this.host.registerTimer(kind, checkTimestamp(timestamp, `${this.host.operator}: a timer`), this.key);
  }
}

interface StateAccessOwner {
  readonly key: unknown;
  slotAt(index: number): AnySlot;
}

/** State of the record that a scope belongs to; closed with it. */
class ScopeAccess implements StateAccess {
  readonly namespace = '';
  readonly #owner: StateAccessOwner;
  readonly #index: number;

  constructor(owner: StateAccessOwner, index: number) {
    this.#owner = owner;
    this.#index = index;
  }

  slot(): AnySlot {
    return this.#owner.slotAt(this.#index);
  }

  key(): unknown {
    return this.#owner.key;
  }
}

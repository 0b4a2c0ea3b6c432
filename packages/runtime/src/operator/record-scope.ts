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
import type { AnySlot } from '../state/access.ts';
import { stateHandle } from '../state/handles.ts';
import { type BoundKey, CallAccess, CallScope } from './call-scope.ts';
import type { KeyedBinding } from './keyed-binding.ts';
import type { Task } from './task.ts';
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
  reportLate(value: unknown, timestamp: number, key: unknown): void;
}

/** Context and collector of one call of a user function: what user code keeps of it throws `RS_CONTEXT_CLOSED`. */
export class RecordScope<K, H extends ScopeHost = ScopeHost>
  extends CallScope
  implements WindowContext<K>, Collector<unknown>
{
  protected readonly host: H;
  readonly #key: K;
  readonly #timestamp: number;
  /** Where what an asynchronous callback emits belongs. */
  #emitAt: (() => void) | undefined;

  constructor(host: H, key: K, timestamp: number) {
    super(host.operator);
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
    this.#emitAt?.();
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
    this.#emitAt?.();
    this.host.emitSide(tag.name, value, this.#timestamp);
  }

  override closeAfter<R>(promise: PromiseLike<R>, task: Task): Promise<R> {
    const { places } = task;
    if (places !== undefined) {
      const place = places.suspend();
      this.#emitAt = () => places.enter(place);
    }
    return super.closeAfter(promise, task);
  }
}

/** Scope of a process function: also timers and state. */
export class ProcessScope<K> extends RecordScope<K, KeyedScopeHost> implements ProcessContext<K>, BoundKey {
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

  reportLate(value: unknown): void {
    this.assertOpen();
    this.host.reportLate(value, this.currentEventTime(), this.key);
  }

  state<D extends StateDescriptor>(descriptor: D): StateOf<D> {
    this.assertOpen();
    const index = this.host.binding.indexOf(descriptor, this.host.owner);
    return stateHandle(descriptor, new CallAccess(this, index));
  }

  get slots(): readonly AnySlot[] {
    this.assertOpen();
    return this.host.slots();
  }

  #register(kind: TimerKind, timestamp: number): void {
    this.host.registerTimer(kind, checkTimestamp(timestamp, `${this.host.operator}: a timer`), this.key);
  }
}

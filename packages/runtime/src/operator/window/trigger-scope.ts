import {
  checkTimestamp,
  type MergeableStateDescriptor,
  RsError,
  type StateDescriptor,
  type StateOf,
  type Trigger,
  type TriggerContext,
} from '@rs/core';
import { type AnySlot, openSlot, type StateAccess } from '../../state/access.ts';
import type { Namespace } from '../../state/cell.ts';
import { stateHandle } from '../../state/handles.ts';
import type { StateStore } from '../../state/store.ts';
import type { Want } from '../keyed-group.ts';
import type { TimerKind } from '../timed-operator.ts';
import type { Bucket, BucketCell } from './bucket.ts';

// Triggers do not see accumulators, so a scope serves windows with any kind of them.
export type AnyBucketCell = BucketCell<any>; // eslint-disable-line @typescript-eslint/no-explicit-any -- see above

/** What the window operator does for its trigger. */
export interface TriggerHost {
  readonly operator: string;
  watermarkNow(): number;
  currentProcessingTime(): number;
  /** The usual timer; it may lie beyond the largest event time. */
  registerClosingTimer(cell: AnyBucketCell): void;
  registerTriggerTimer(cell: AnyBucketCell, kind: TimerKind, time: number): void;
  deleteTriggerTimer(cell: AnyBucketCell, kind: TimerKind, time: number): void;
}

/** The context of an operator's trigger: one object, pointed at one window for the time of each call. */
export class TriggerScope implements TriggerContext {
  readonly #host: TriggerHost;
  readonly #slots = new Map<StateDescriptor, AnySlot>();
  #cell: AnyBucketCell | undefined;
  #absorbed: readonly AnyBucketCell[] | undefined;

  constructor(host: TriggerHost, store: StateStore, operatorId: string, trigger: Trigger<never>) {
    this.#host = host;
    for (const descriptor of trigger.states ?? []) {
      const state = `trigger.${descriptor.name}`;
      const now = () => host.currentProcessingTime();
      this.#slots.set(descriptor, openSlot(store, descriptor, { operator: operatorId, state, now }));
    }
  }

  /** Points the context at a window; `absorbed` are the windows whose states can be merged into its own. */
  about(cell: AnyBucketCell | undefined, absorbed?: readonly AnyBucketCell[]): this {
    this.#cell = cell;
    this.#absorbed = absorbed;
    return this;
  }

  get closingTime(): number {
    return this.#bucket().closing;
  }

  currentWatermark(): number {
    return this.#host.watermarkNow();
  }

  currentProcessingTime(): number {
    return this.#host.currentProcessingTime();
  }

  registerEventTimeTimer(timestamp: number): void {
    if (timestamp === this.#bucket().closing) this.#host.registerClosingTimer(this.#current());
    else this.#host.registerTriggerTimer(this.#current(), 'event', this.#checked(timestamp));
  }

  registerProcessingTimeTimer(timestamp: number): void {
    this.#host.registerTriggerTimer(this.#current(), 'processing', this.#checked(timestamp));
  }

  deleteEventTimeTimer(timestamp: number): void {
    this.#host.deleteTriggerTimer(this.#current(), 'event', timestamp);
  }

  deleteProcessingTimeTimer(timestamp: number): void {
    this.#host.deleteTriggerTimer(this.#current(), 'processing', timestamp);
  }

  state<D extends StateDescriptor>(descriptor: D): StateOf<D> {
    const { key, namespace } = this.#current();
    const slot = this.#slotOf(descriptor);
    const access: StateAccess = { namespace, slot: () => slot, key: () => key, pin: () => access };
    return stateHandle(descriptor, access);
  }

  mergeState<V>(
    descriptor: MergeableStateDescriptor<V>,
    combine: (a: NonNullable<V>, b: NonNullable<V>) => NonNullable<V>,
  ): void {
    const slot = this.#slotOf(descriptor);
    if (this.#absorbed === undefined) {
      throw new RsError(
        'RS_UNSUPPORTED',
        `${this.#host.operator}: its trigger called mergeState outside of onMerge`,
      );
    }
    const { format } = slot;
    if (format.layout !== 'value') {
      throw new RsError(
        'RS_UNSUPPORTED',
        `${this.#host.operator}: its trigger called mergeState for '${descriptor.name}', which is a collection; keep one value in a value, reducing or aggregating state`,
        { details: { state: descriptor.name } },
      );
    }
    const values = [this.#current(), ...this.#absorbed]
      .map((cell) => slot.present(cell.key, cell.namespace)?.value as NonNullable<V> | undefined)
      .filter((value): value is NonNullable<V> => value !== undefined);
    if (values.length === 0) return;
    const joined = values.reduce((a, b) => combine(a, b));
    format.check(joined);
    const { key, namespace } = this.#current();
    const cell = slot.obtain(key, namespace);
    slot.touch(cell);
    cell.value = joined;
  }

  /** Removes the trigger's states of a window. */
  clearStates(cell: AnyBucketCell): void {
    for (const slot of this.#slots.values()) {
      const state = slot.present(cell.key, cell.namespace);
      if (state !== undefined) slot.remove(state);
    }
  }

  want(key: unknown, namespace: Namespace, want: Want): void {
    for (const slot of this.#slots.values()) want(slot, key, namespace);
  }

  markEmpty(key: unknown, namespace: Namespace): void {
    for (const slot of this.#slots.values()) {
      if (slot.find(key, namespace) === undefined) slot.insert(key, namespace);
    }
  }

  #slotOf(descriptor: StateDescriptor): AnySlot {
    const slot = this.#slots.get(descriptor);
    if (slot !== undefined) return slot;
    throw new RsError(
      'RS_STATE_UNDECLARED',
      `${this.#host.operator}: its trigger asked for state '${descriptor.name}', which is not in the trigger's \`states\``,
      { details: { state: descriptor.name } },
    );
  }

  #bucket(): Bucket<unknown> {
    return this.#current().value as Bucket<unknown>;
  }

  #checked(timestamp: number): number {
    return checkTimestamp(timestamp, `${this.#host.operator}: a timer`);
  }

  #current(): AnyBucketCell {
    if (this.#cell !== undefined) return this.#cell;
    throw new RsError(
      'RS_CONTEXT_CLOSED',
      `${this.#host.operator}: a trigger used its context after the call it was given to; triggers are synchronous and keep nothing`,
      { details: { operator: this.#host.operator } },
    );
  }
}

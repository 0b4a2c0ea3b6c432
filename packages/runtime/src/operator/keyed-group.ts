import type { StateDescriptor } from '@rs/core';
import { type AnySlot, openSlot } from '../state/access.ts';
import type { Namespace } from '../state/cell.ts';
import type { SlotOptions, StateSlot } from '../state/slot.ts';
import type { StateStore } from '../state/store.ts';
import type { TimerQueue } from '../time/timer-queue.ts';
import type { DeclaredState, KeyedBinding } from './keyed-binding.ts';
import type { OperatorMeta } from './operator.ts';
import type { Task } from './task.ts';
import type { TimerKind } from './timed-operator.ts';

/** Names a cell that is about to be used. */
export type Want = (slot: AnySlot, key: unknown, namespace: Namespace) => void;

/** A record that waits at a barrier. */
export interface ComingRecord {
  readonly key: unknown;
  readonly value: unknown;
  readonly timestamp: number;
  /** Latest time that records up to this one have brought, where processing time follows records. */
  readonly latestTimestamp: number;
}

/**
 * What a driver asks before it lets items through to keyed operators: which state they will touch. Asked again after the
 * named cells were loaded, until everything it names is there, since one cell may lead to others.
 */
export interface Prefetcher {
  /** The timers that items which wait at the barrier may make fire. */
  readonly queues: readonly TimerQueues[];
  wantRecord(record: ComingRecord, want: Want): void;
  /** For timers that are due at these times, or are due already, and may fire. */
  wantTimers(watermark: number, processingTime: number, want: Want): void;
}

/** Timers of one operator. */
export interface TimerQueues {
  readonly event: TimerQueue;
  readonly processing: TimerQueue;
  /** Up to which time timers are due already. */
  readonly dueAt: (kind: TimerKind) => number;
}

/** State of an operator that belongs to none of its keys. */
export interface SharedState {
  want(want: Want): void;
}

/** A declared state, for those who read it from outside. */
export interface KeptState {
  /** Id of the operator that it is stored under. */
  readonly operator: string;
  readonly descriptor: StateDescriptor;
  /** The clock that its TTL counts on. */
  readonly now: () => number;
}

/** What the operators behind one keyBy share on one partition: the slots of the declared states. */
export class KeyedGroup implements Prefetcher {
  readonly binding: KeyedBinding;
  readonly queues: TimerQueues[] = [];
  readonly #task: Task;
  readonly #store: StateStore;
  readonly #operatorId: string;
  readonly #slots: AnySlot[] = [];
  readonly #own: AnySlot[] = [];
  readonly #shared: SharedState[] = [];
  readonly #ownerIds = new Map<object, string>();
  /** Latest time that records have brought, where processing time follows records. */
  #latest = -Infinity;

  constructor(task: Task, store: StateStore, binding: KeyedBinding, operatorId: string) {
    this.#task = task;
    this.#store = store;
    this.binding = binding;
    this.#operatorId = operatorId;
  }

  /** Id of the keyBy: states that no operator declared as its own are stored under it. */
  get operatorId(): string {
    return this.#operatorId;
  }

  /** Operators that declare states of their own say under which id these are stored. */
  register(owner: object, operatorId: string): void {
    this.#ownerIds.set(owner, operatorId);
  }

  /** Slots by index of declaration. Complete once all operators were opened. */
  slots(): readonly AnySlot[] {
    const declared = this.binding.declared();
    for (let i = this.#slots.length; i < declared.length; i++) {
      const { descriptor, owner } = declared[i] as DeclaredState;
      const place = {
        operator: this.idOf(owner),
        state: descriptor.name,
        now: () => this.#now(),
        ttl: this.#task.options.stateTtl,
      };
      this.#slots.push(openSlot(this.#store, descriptor, place));
    }
    return this.#slots;
  }

  /** The declared states. Complete once all operators were opened. */
  declared(): readonly KeptState[] {
    return this.binding.declared().map(({ descriptor, owner }) => ({
      operator: this.idOf(owner),
      descriptor,
      now: () => this.#now(),
    }));
  }

  /** A slot for an operator's own bookkeeping, such as the accumulator of a reduce. */
  ownSlot<V>(options: SlotOptions<V>): StateSlot<V> {
    const slot = this.#store.slot(options);
    this.#own.push(slot);
    return slot;
  }

  /** Moves the clock of the TTLs, where processing time follows records. */
  follow(timestamp: number): void {
    if (timestamp > this.#latest) this.#latest = timestamp;
  }

  meta(): OperatorMeta {
    return { latest: this.#latest };
  }

  restore(meta: OperatorMeta): void {
    this.#latest = Number(meta['latest']);
  }

  addTimers(timers: TimerQueues): void {
    this.queues.push(timers);
  }

  /** State that callbacks may use whatever their key is, and those that have none. */
  addShared(shared: SharedState): void {
    this.#shared.push(shared);
  }

  wantRecord({ key }: ComingRecord, want: Want): void {
    this.#wantShared(want);
    if (key !== undefined) this.#wantKey(key, want); // A broadcast record has none.
  }

  /** For a timer of a key that is given up. */
  wantTimer(key: unknown, want: Want): void {
    this.#wantShared(want);
    this.#wantKey(key, want);
  }

  wantTimers(watermark: number, processingTime: number, want: Want): void {
    this.#wantShared(want);
    for (const { event, processing, dueAt } of this.queues) {
      for (const { key } of event.due(Math.max(watermark, dueAt('event')))) this.#wantKey(key, want);
      for (const { key } of processing.due(Math.max(processingTime, dueAt('processing'))))
        this.#wantKey(key, want);
    }
  }

  /** Id of an operator behind the keyBy, under which its states and late records go. */
  idOf(owner: object | undefined): string {
    return (owner === undefined ? undefined : this.#ownerIds.get(owner)) ?? this.#operatorId;
  }

  #now(): number {
    const { processingTime, clock } = this.#task.options;
    return processingTime === 'clock' ? clock.now() : this.#latest;
  }

  #wantShared(want: Want): void {
    for (const shared of this.#shared) shared.want(want);
  }

  #wantKey(key: unknown, want: Want): void {
    for (const slot of this.slots()) if (!slot.onDemand) want(slot, key, '');
    for (const slot of this.#own) want(slot, key, '');
  }
}

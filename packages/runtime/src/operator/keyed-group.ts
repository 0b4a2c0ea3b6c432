import { type AnySlot, openSlot } from '../state/access.ts';
import type { Namespace } from '../state/cell.ts';
import type { SlotOptions, StateSlot } from '../state/slot.ts';
import type { TimerQueue } from '../time/timer-queue.ts';
import type { KeyedBinding } from './keyed-binding.ts';
import type { OperatorMeta } from './operator.ts';
import type { Task } from './task.ts';

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
  wantRecord(record: ComingRecord, want: Want): void;
  /** For timers that are due at these times. */
  wantTimers(watermark: number, processingTime: number, want: Want): void;
}

/** Timers of one operator. */
export interface TimerQueues {
  readonly event: TimerQueue;
  readonly processing: TimerQueue;
}

/** What the operators behind one keyBy share on one partition: the slots of the declared states. */
export class KeyedGroup implements Prefetcher {
  readonly binding: KeyedBinding;
  readonly #task: Task;
  readonly #operatorId: string;
  readonly #slots: AnySlot[] = [];
  readonly #own: AnySlot[] = [];
  readonly #timers: TimerQueues[] = [];
  readonly #ownerIds = new Map<object, string>();
  /** Latest time that records have brought, where processing time follows records. */
  #latest = -Infinity;

  constructor(task: Task, binding: KeyedBinding, operatorId: string) {
    this.#task = task;
    this.binding = binding;
    this.#operatorId = operatorId;
  }

  /** Operators that declare states of their own say under which id these are stored. */
  register(owner: object, operatorId: string): void {
    this.#ownerIds.set(owner, operatorId);
  }

  /** Slots by index of declaration. Complete once all operators were opened. */
  slots(): readonly AnySlot[] {
    const declared = this.binding.declared();
    for (let i = this.#slots.length; i < declared.length; i++) {
      const { descriptor, owner } = declared[i] as (typeof declared)[number];
      const operator = (owner === undefined ? undefined : this.#ownerIds.get(owner)) ?? this.#operatorId;
      const place = { operator, state: descriptor.name, now: () => this.#now() };
      this.#slots.push(openSlot(this.#task.store, descriptor, place));
    }
    return this.#slots;
  }

  /** A slot for an operator's own bookkeeping, such as the accumulator of a reduce. */
  ownSlot<V>(options: SlotOptions<V>): StateSlot<V> {
    const slot = this.#task.store.slot(options);
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
    this.#timers.push(timers);
  }

  wantRecord({ key }: ComingRecord, want: Want): void {
    this.#wantKey(key, want);
  }

  wantTimers(watermark: number, processingTime: number, want: Want): void {
    for (const { event, processing } of this.#timers) {
      for (const { key } of event.due(watermark)) this.#wantKey(key, want);
      for (const { key } of processing.due(processingTime)) this.#wantKey(key, want);
    }
  }

  #now(): number {
    const { processingTime, clock } = this.#task.options;
    return processingTime === 'clock' ? clock.now() : this.#latest;
  }

  #wantKey(key: unknown, want: Want): void {
    for (const slot of this.slots()) want(slot, key, '');
    for (const slot of this.#own) want(slot, key, '');
  }
}

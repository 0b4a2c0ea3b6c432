import type { Prefetcher } from '../../operator/keyed-group.ts';
import type { AnyReceiver } from '../../operator/receiver.ts';
import { deliver, itemReceiver, type StreamItem } from '../../operator/stream-item.ts';
import type { Task } from '../../operator/task.ts';
import { type OrderCounter, type Place, sortByPlace } from './order.ts';
import type { Prefetch } from './prefetch.ts';

/** An item that waits at a barrier, with the receiver it is meant for. */
export interface WaitingItem {
  readonly place: Place;
  readonly receiver: AnyReceiver;
  readonly item: StreamItem;
}

/** Holds a batch's items back until the state they need was read. */
export class Barrier {
  readonly prefetcher: Prefetcher | undefined;
  readonly #counter: OrderCounter;
  #waiting: WaitingItem[] = [];
  #reach = -Infinity;

  /** @param prefetcher says what to read; without one, items are only put in order */
  constructor(counter: OrderCounter, prefetcher: Prefetcher | undefined) {
    this.#counter = counter;
    this.prefetcher = prefetcher;
  }

  /** What stands before `receiver`. */
  before(receiver: AnyReceiver): AnyReceiver {
    return itemReceiver((item) => {
      if (item.type !== 'record') this.#reach = Math.max(this.#reach, reachOf(item));
      this.#waiting.push({ place: this.#counter.reserve(), receiver, item });
    });
  }

  /** Up to which event time the waiting items can let timers fire. */
  get reach(): number {
    return this.#reach;
  }

  /** The waiting items in their order. */
  waiting(): readonly WaitingItem[] {
    return sortByPlace(this.#waiting);
  }

  /** Forgets waiting items. @param what default: all */
  clear(what?: (place: Place) => boolean): void {
    this.#keep(what === undefined ? [] : this.#waiting.filter(({ place }) => !what(place)));
  }

  /**
   * Lets waiting items through, one after the other, in the order of a chain without barriers.
   *
   * @param which default: all
   */
  async drain(task: Task, prefetch: Prefetch, which?: (place: Place) => boolean): Promise<void> {
    const waiting = this.#take(which);
    if (waiting.length === 0) return;
    if (this.prefetcher !== undefined) {
      this.#counter.leave();
      await prefetch.forItems(task, this.prefetcher, waiting);
    }
    task.assertRunning();
    try {
      for (const { place, receiver, item } of waiting) {
        this.#counter.enter(place);
        deliver(receiver, item);
        if (task.attention) await task.settled();
        task.assertRunning();
      }
    } catch (error) {
      task.fail(error);
      throw error;
    }
    // Calls that records need not wait for may still be under way; their results belong to this batch.
    await task.drained();
    task.assertRunning();
  }

  #take(which?: (place: Place) => boolean): readonly WaitingItem[] {
    const waiting = sortByPlace(this.#waiting);
    if (which === undefined) {
      this.#keep([]);
      return waiting;
    }
    const taken = waiting.filter(({ place }) => which(place));
    if (taken.length > 0) this.#keep(waiting.filter(({ place }) => !which(place)));
    return taken;
  }

  #keep(waiting: WaitingItem[]): void {
    this.#waiting = waiting;
    this.#reach = waiting.reduce((reach, { item }) => Math.max(reach, reachOf(item)), -Infinity);
  }
}

/** Up to which event time an item can let timers fire. */
export function reachOf(item: StreamItem): number {
  switch (item.type) {
    case 'watermark':
      return item.timestamp;
    case 'end':
      return Infinity;
    case 'status':
      // Without an input that is idle, those that are left may be far ahead.
      return item.idle ? Infinity : -Infinity;
    case 'record':
      return -Infinity;
  }
}

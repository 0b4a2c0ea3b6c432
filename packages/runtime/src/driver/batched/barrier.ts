import type { Prefetcher } from '../../operator/keyed-group.ts';
import type { AnyReceiver } from '../../operator/receiver.ts';
import { deliver, itemReceiver, type StreamItem } from '../../operator/stream-item.ts';
import type { Task } from '../../operator/task.ts';
import { compareOrder, type ItemOrder, type OrderCounter } from './order.ts';
import type { Prefetch } from './prefetch.ts';

/** An item that waits at a barrier, with the receiver it is meant for. */
interface WaitingItem {
  readonly order: ItemOrder;
  readonly receiver: AnyReceiver;
  readonly item: StreamItem;
}

/** Holds a batch's items back until the state they need was read. */
export class Barrier {
  readonly prefetcher: Prefetcher | undefined;
  readonly #counter: OrderCounter;
  #waiting: WaitingItem[] = [];

  /** @param prefetcher says what to read; without one, items are only put in order */
  constructor(counter: OrderCounter, prefetcher: Prefetcher | undefined) {
    this.#counter = counter;
    this.prefetcher = prefetcher;
  }

  /** What stands before `receiver`. */
  before(receiver: AnyReceiver): AnyReceiver {
    return itemReceiver((item) => this.#waiting.push({ order: this.#counter.reserve(), receiver, item }));
  }

  clear(): void {
    this.#waiting = [];
  }

  /** Lets the waiting items through, one after the other, in the order of a chain without barriers. */
  async drain(task: Task, prefetch: Prefetch): Promise<void> {
    const waiting = this.#waiting.sort((a, b) => compareOrder(a.order, b.order));
    this.#waiting = [];
    if (waiting.length === 0) return;
    if (this.prefetcher !== undefined) {
      await prefetch.forItems(
        task,
        this.prefetcher,
        waiting.map(({ item }) => item),
      );
    }
    task.assertRunning();
    for (const { order, receiver, item } of waiting) {
      this.#counter.enter(order);
      task.guard(() => deliver(receiver, item));
      if (task.attention) await task.settled();
      task.assertRunning();
    }
    // Calls that records need not wait for may still be under way; their results belong to this batch.
    await task.drained();
    task.assertRunning();
  }
}

import type { Prefetcher } from '../../operator/keyed-group.ts';
import type { AnyReceiver, Receiver } from '../../operator/receiver.ts';
import type { Task } from '../../operator/task.ts';
import { compareOrder, type ItemOrder, type OrderCounter } from './order.ts';
import type { Prefetch } from './prefetch.ts';

/** An item that waits at a barrier, with the receiver it is meant for. */
export type BarrierItem = { readonly order: ItemOrder; readonly receiver: AnyReceiver } & (
  | { readonly type: 'record'; readonly value: unknown; readonly timestamp: number; readonly key: unknown }
  | { readonly type: 'watermark'; readonly timestamp: number }
  | { readonly type: 'status'; readonly idle: boolean }
  | { readonly type: 'end' }
);

/** Holds a batch's items back until the state they need was read. */
export class Barrier {
  #items: BarrierItem[] = [];
  readonly #counter: OrderCounter;
  readonly #prefetcher: Prefetcher | undefined;

  /** @param prefetcher says what to read; without one, items are only put in order */
  constructor(counter: OrderCounter, prefetcher: Prefetcher | undefined) {
    this.#counter = counter;
    this.#prefetcher = prefetcher;
  }

  /** What stands before `receiver`. */
  before(receiver: AnyReceiver): AnyReceiver {
    return new BarrierInput(this, receiver);
  }

  add(item: BarrierItem): void {
    this.#items.push(item);
  }

  nextOrder(): ItemOrder {
    return this.#counter.next();
  }

  clear(): void {
    this.#items = [];
  }

  /** Lets the waiting items through, one after the other, in the order of a chain without barriers. */
  async drain(task: Task, prefetch: Prefetch): Promise<void> {
    const items = this.#items.sort((a, b) => compareOrder(a.order, b.order));
    this.#items = [];
    if (items.length === 0) return;
    if (this.#prefetcher !== undefined) await prefetch.forItems(task, this.#prefetcher, items);
    task.assertRunning();
    for (const item of items) {
      this.#counter.enter(item.order);
      task.guard(() => deliver(item));
      if (task.attention) await task.settled();
      task.assertRunning();
    }
  }
}

class BarrierInput implements Receiver<unknown> {
  readonly #barrier: Barrier;
  readonly #receiver: AnyReceiver;

  constructor(barrier: Barrier, receiver: AnyReceiver) {
    this.#barrier = barrier;
    this.#receiver = receiver;
  }

  record(value: unknown, timestamp: number, key: unknown): void {
    this.#barrier.add({ type: 'record', value, timestamp, key, ...this.#place() });
  }

  watermark(timestamp: number): void {
    this.#barrier.add({ type: 'watermark', timestamp, ...this.#place() });
  }

  status(idle: boolean): void {
    this.#barrier.add({ type: 'status', idle, ...this.#place() });
  }

  end(): void {
    this.#barrier.add({ type: 'end', ...this.#place() });
  }

  #place() {
    return { receiver: this.#receiver, order: this.#barrier.nextOrder() };
  }
}

function deliver(item: BarrierItem): void {
  switch (item.type) {
    case 'record':
      return item.receiver.record(item.value, item.timestamp, item.key);
    case 'watermark':
      return item.receiver.watermark(item.timestamp);
    case 'status':
      return item.receiver.status(item.idle);
    case 'end':
      return item.receiver.end();
  }
}

import { labelOf, type SinkNode } from '../../graph/node.ts';
import type { Stage } from '../../graph/topology.ts';
import type { ExchangeEdge } from '../../graph/topology.ts';
import { type AnyReceiver, NOWHERE } from '../../operator/receiver.ts';
import { itemReceiver } from '../../operator/stream-item.ts';
import type { OutputRecord, SentItem } from './backend.ts';
import { compareOrder, type ItemOrder, type OrderCounter } from './order.ts';

interface Placed<T> {
  readonly order: ItemOrder;
  readonly what: T;
}

/**
 * What a value goes through that leaves a task. `to` is how messages call the place it goes to. What it throws for a value
 * that cannot leave the task fails the record that the value came of.
 */
export type Transfer = (value: unknown, to: string) => unknown;

/** What a batch sends out; it leaves the task with the commit. */
export class BatchLog {
  readonly #counter: OrderCounter;
  readonly #transfer: Transfer;
  #outputs: Placed<OutputRecord>[] = [];
  #sent: Placed<SentItem>[] = [];

  constructor(counter: OrderCounter, transfer: Transfer) {
    this.#counter = counter;
    this.#transfer = transfer;
  }

  /** Stands for a sink. An output has neither time nor end of its own. */
  sink(node: SinkNode, id: string): AnyReceiver {
    return this.#records(labelOf(node), (value, timestamp) => ({ sink: id, value, timestamp }));
  }

  /** Takes what is sent to a side output, besides those who read it. */
  sideOutput(operator: string, tag: string): AnyReceiver {
    return this.#records(`side output '${tag}' of '${operator}'`, (value, timestamp) => ({
      sink: operator,
      sideOutput: tag,
      value,
      timestamp,
    }));
  }

  /** Stands for the partitions that an exchange sends to. */
  destinations(stage: Stage, edge: ExchangeEdge): readonly AnyReceiver[] {
    const number = stage.sent.indexOf(edge);
    const where = `the records of ${labelOf(edge.node)} for other partitions`;
    return Array.from({ length: edge.receivers }, (_, to) =>
      itemReceiver((sent) => {
        const item = sent.type === 'record' ? { ...sent, value: this.#transfer(sent.value, where) } : sent;
        this.#sent.push({ order: this.#counter.reserve(), what: { edge: number, to, item } });
      }),
    );
  }

  /** In the order of a chain of calls, whatever the batch did first. */
  outputs(): readonly OutputRecord[] {
    return inOrder(this.#outputs);
  }

  sent(): readonly SentItem[] {
    return inOrder(this.#sent);
  }

  /** What was sent about idleness is not sent. */
  withholdIdle(): void {
    this.#sent = this.#sent.filter(({ what: { item } }) => item.type !== 'status' || !item.idle);
  }

  clear(): void {
    this.#outputs = [];
    this.#sent = [];
  }

  #records(where: string, output: (value: unknown, timestamp: number) => OutputRecord): AnyReceiver {
    const receiver = itemReceiver((item) => {
      if (item.type !== 'record') return;
      const what = output(this.#transfer(item.value, where), item.timestamp);
      this.#outputs.push({ order: this.#counter.reserve(), what });
    });
    return Object.assign(receiver, { watermarkTarget: NOWHERE });
  }
}

function inOrder<T>(placed: readonly Placed<T>[]): readonly T[] {
  return placed.toSorted((a, b) => compareOrder(a.order, b.order)).map(({ what }) => what);
}

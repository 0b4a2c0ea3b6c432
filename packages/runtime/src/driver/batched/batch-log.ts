import { labelOf, type SinkNode } from '../../graph/node.ts';
import type { Stage } from '../../graph/topology.ts';
import type { ExchangeEdge } from '../../graph/topology.ts';
import { type AnyReceiver, NOWHERE } from '../../operator/receiver.ts';
import type { StepwiseTime } from '../../operator/stepwise-time.ts';
import { itemReceiver, type StreamItem } from '../../operator/stream-item.ts';
import type { OutputRecord, SentItem } from './backend.ts';
import { type OrderCounter, type Place, PlacedList } from './order.ts';

/**
 * What a value goes through that leaves a task. `to` is how messages call the place it goes to, `operator` the id of the sink, or
 * of the operator whose side output or exchange it is. What it throws for a value that cannot leave the task fails the record that
 * the value came of.
 */
export type Transfer = (value: unknown, to: string, operator: string) => unknown;

/** What one partition of a later stage was told about time. */
interface Told {
  watermark: number | undefined;
  idle: boolean | undefined;
  ended: boolean;
}

/** What a batch sends out; it leaves the task with the commit. */
export class BatchLog {
  readonly #counter: OrderCounter;
  readonly #transfer: Transfer;
  readonly #stepwise: StepwiseTime;
  readonly #told: Told[] = [];
  #outputs = new PlacedList<OutputRecord>();
  #sent = new PlacedList<SentItem>();

  constructor(counter: OrderCounter, stepwise: StepwiseTime, transfer: Transfer) {
    this.#counter = counter;
    this.#stepwise = stepwise;
    this.#transfer = transfer;
  }

  /** Stands for a sink. An output has neither time nor end of its own. */
  sink(node: SinkNode, id: string): AnyReceiver {
    return this.#records(labelOf(node), id, (value, timestamp) => ({ sink: id, value, timestamp }));
  }

  /** Takes what is sent to a side output, besides those who read it. */
  sideOutput(operator: string, tag: string): AnyReceiver {
    return this.#records(`side output '${tag}' of '${operator}'`, operator, (value, timestamp) => ({
      sink: operator,
      sideOutput: tag,
      value,
      timestamp,
    }));
  }

  /** Stands for the partitions that an exchange sends to. @param id that of the operator whose output it is */
  destinations(stage: Stage, edge: ExchangeEdge, id: string): readonly AnyReceiver[] {
    const number = stage.sent.indexOf(edge);
    const where = `the records of ${labelOf(edge.node)} for other partitions`;
    return Array.from({ length: edge.receivers }, (_, to) => {
      const told: Told = { watermark: undefined, idle: undefined, ended: false };
      this.#told.push(told);
      return itemReceiver((sent) => {
        if (sent.type !== 'record' && this.#isNoNews(sent, told)) return;
        const item =
          sent.type === 'record' ? { ...sent, value: this.#transfer(sent.value, where, id) } : sent;
        this.#sent.push(this.#counter.reserve(), { edge: number, to, item });
      });
    });
  }

  /** In the order of a chain of calls, whatever the batch did first. @param of default: everything */
  outputs(of?: (place: Place) => boolean): readonly OutputRecord[] {
    return partOf(this.#outputs, of).inOrder();
  }

  sent(of?: (place: Place) => boolean): readonly SentItem[] {
    return partOf(this.#sent, of).inOrder();
  }

  /** The places of records, in no order. */
  records(): readonly Place[] {
    const sent = this.#sent.filter(({ item }) => item.type === 'record');
    return [...this.#outputs.places(), ...sent.places()];
  }

  /** What was sent about idleness is not sent. */
  withholdIdle(): void {
    this.#sent = this.#sent.filter(({ item }) => item.type !== 'status' || !item.idle);
  }

  /** @param what default: everything */
  clear(what?: (place: Place) => boolean): void {
    this.#outputs = what === undefined ? new PlacedList() : this.#outputs.filter((_, at) => !what(at));
    this.#sent = what === undefined ? new PlacedList() : this.#sent.filter((_, at) => !what(at));
  }

  /** Everything since the last commit was undone. */
  undo(): void {
    this.clear();
    for (const told of this.#told)
      Object.assign(told, { watermark: undefined, idle: undefined, ended: false });
  }

  /** True for an item about time that must wait, or that only says again what was said. */
  #isNoNews(item: Exclude<StreamItem, { readonly type: 'record' }>, told: Told): boolean {
    if (this.#stepwise.holdsBack(this)) return true;
    const { watermark, idle, ended } = told;
    if (item.type === 'watermark') told.watermark = item.timestamp;
    else if (item.type === 'status') told.idle = item.idle;
    else told.ended = true;
    if (!this.#stepwise.repeating) return false;
    return watermark === told.watermark && idle === told.idle && ended === told.ended;
  }

  #records(
    where: string,
    id: string,
    output: (value: unknown, timestamp: number) => OutputRecord,
  ): AnyReceiver {
    const receiver = itemReceiver((item) => {
      if (item.type !== 'record') return;
      const made = output(this.#transfer(item.value, where, id), item.timestamp);
      this.#outputs.push(this.#counter.reserve(), made);
    });
    return Object.assign(receiver, { watermarkTarget: NOWHERE });
  }
}

function partOf<T>(list: PlacedList<T>, of: ((place: Place) => boolean) | undefined): PlacedList<T> {
  return of === undefined ? list : list.filter((_, place) => of(place));
}

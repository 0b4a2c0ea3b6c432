import { partitionOf } from '@rs/core';
import { encodeKey } from '../state/key-encoding.ts';
import type { KeyedGroup } from './keyed-group.ts';
import { Merge, MergeInput } from './merge.ts';
import type { OperatorMeta, OperatorParts } from './operator.ts';
import { type AnyReceiver, multicast, type Receiver } from './receiver.ts';
import type { Task } from './task.ts';

/** What messages of a key are routed by: equal keys have equal texts. A text is its own, so it goes where its messages do. */
export function routeText(key: unknown): string {
  switch (typeof key) {
    case 'string':
      return key;
    case 'number':
    case 'bigint':
    case 'boolean':
      return String(key);
    default:
      return encodeKey(key);
  }
}

/** Sends each record to the partition of its key, and everything about time to all of them. */
export class KeySender implements Receiver<unknown> {
  readonly #destinations: readonly AnyReceiver[];
  readonly #all: AnyReceiver;

  /** @param destinations by number of partition */
  constructor(destinations: readonly AnyReceiver[]) {
    this.#destinations = destinations;
    this.#all = multicast(destinations);
  }

  record(value: unknown, timestamp: number, key: unknown): void {
    this.#destinations[partitionOf(routeText(key), this.#destinations.length)]?.record(value, timestamp, key);
  }

  watermark(timestamp: number): void {
    this.#all.watermark(timestamp);
  }

  status(idle: boolean): void {
    this.#all.status(idle);
  }

  end(): void {
    this.#all.end();
  }
}

/** The receiving end of an exchange on one partition: one input per sending partition. */
export class ExchangeReceiver implements OperatorParts {
  readonly inputs: readonly Receiver<unknown>[];
  readonly #merge: Merge;
  readonly #group: KeyedGroup | undefined;

  /**
   * @param group what the operators behind the keyBy share; its facts are kept here
   * @param idleAtFirst true when a sender counts as idle until its first item: a partition of a source that never had a
   *   record must not hold back the time of the others. Not true of senders that receive from an exchange themselves: they hear
   *   of all time there is, and what they have collected may come long after it.
   */
  constructor(
    task: Task,
    out: AnyReceiver,
    senders: number,
    group: KeyedGroup | undefined,
    idleAtFirst: boolean,
  ) {
    this.#merge = new Merge(task, out, senders, { initiallyIdle: idleAtFirst, owner: this });
    this.#group = group;
    this.inputs = Array.from({ length: senders }, (_, sender) => new ExchangeInput(this.#merge, sender, out));
  }

  begin(): void {
    this.#merge.begin();
  }

  meta(): OperatorMeta {
    return { ...this.#merge.meta(), ...this.#group?.meta() };
  }

  restore(meta: OperatorMeta): void {
    this.#merge.restore(meta);
    this.#group?.restore(meta);
  }
}

class ExchangeInput extends MergeInput implements Receiver<unknown> {
  readonly #out: AnyReceiver;

  constructor(merge: Merge, index: number, out: AnyReceiver) {
    super(merge, index);
    this.#out = out;
  }

  record(value: unknown, timestamp: number, key: unknown): void {
    this.merge.touch(this.index);
    this.#out.record(value, timestamp, key);
  }
}
